"""Serve tasks to coding agents over MCP.

::

    settings.py     what one server may be told
    app.py          the MCP server: tools, resources, prompt; stdio.py and http.py carry it
    service.py      everything alive while a server runs
    caller.py       who is calling: subject, claims, isolation
    episode.py      one attempt: stage, budgets; episodes.py finds, opens and ends them
    workspace.py    the files of an episode, beneath one folder
    submissions.py  what submit makes durable; gradings.py turns it into a grade
    runs.py         work that may outlast a call
    judge.py        what the server asks of grading; suites.py asks tasks and grading for it
    database.py     rows; blobs.py content
    tools/          what an agent sees, one group of tools a file
    cli.py          the `kaiju` program; commands/ are this component's sub-commands
"""

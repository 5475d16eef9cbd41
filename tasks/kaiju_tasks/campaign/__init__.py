"""Campaigns: attacks and odd but honest trees, graded as any submission is, and what became of each.

::

    ground.py     what a campaign is fought over: a task, cut to some of its modules
    watch.py      lures on the host, and whether anything of a sandbox came near them
    rows.py       one line of the result
    attacking.py  attacks over the stub
    honesty.py    odd trees over the reference
    claims.py     both as claims of a task's proof
    forgers.py    what the protocol leaves to somebody who forges results, simulated
    commands.py   `kaiju tasks attack`, `honest` and `forge`
"""

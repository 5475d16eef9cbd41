"""Trust: what a task proves of itself beside its grades.

::

    claims.py     all of them, in order
    evidence.py   what they look at
    runs.py       runs of modules over one library, and a busy machine
    shaking.py    the reference under other seeds, orders, company, load and clock: what moves
    stubs.py      bodies of the stub that would not fail loudly
    names.py      names that held-out tests use and the specification does not have
    telling.py    held-out expectations that visible tests tell
    mutation.py   small mistakes in the reference that cost no reward
    form.py       a detector of altered tests by their form
    features.py   what it looks at
"""

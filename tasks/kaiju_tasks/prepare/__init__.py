"""Preparation: from a recipe or a package URL to a proven task, one step a file.

::

    pipeline.py     the main flow
    workshop.py     language, environment and sandboxes, as every step uses them
    material.py     fetch, split, lock, provision
    stubs.py        the stub, and what its import needs
    trials.py       every test on the reference, repeated, and on the stub
    links.py        which test files mention which
    cut.py          visible, held-out and shared
    modules.py      the coarsest split that leaves enough modules
    proving.py      alterations, each proven on the reference
    mixes.py        random mixes: nothing may disturb its neighbours
    halves.py       a half-restored tree and what it earns
    suite.py        everything together, as the grader sees it
    instruction.py  what the agent is told
    folder.py       the task folder, written whole or not at all
"""

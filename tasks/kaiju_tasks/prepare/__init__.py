"""Preparation: from a recipe or a package URL to a proven task, one step a file.

::

    pipeline.py     the main flow
    workshop.py     language, environment and sandboxes, as every step uses them
    material.py     fetch, split, lock, provision
    stubs.py        the stub, and what its import needs
    trials.py       every test on the reference, repeated, and on the stub
    links.py        which test files mention which
    cut.py          visible, held-out and shared
    checks.py       visible tests and modules, run as an episode and a grading run them
    proving.py      alterations, each proven on the reference in random mixes
    company.py      small test files that share the runs of their proofs
    modules.py      the coarsest split that leaves enough modules
    halves.py       a half-restored tree and what it earns
    draft.py        everything together, and the suite that it makes
    instruction.py  what the agent is told
    folder.py       the task folder, written whole or not at all
    pinning.py      the recipe that makes the same task again
    survey.py       what a release offers, seen without running it
"""

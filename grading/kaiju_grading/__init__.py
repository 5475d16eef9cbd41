"""Turn a submission into a verdict.

::

    files.py        a set of files in memory: paths, digests, composition
    suite.py        what a task's tests are: modules, tests, alterations
    disk.py         a tree on disk, read and written without following links
    submission.py   what an agent handed in
    compose.py      the tree that a sandbox gets
    outcome.py      what one test did in one run
    report.py       what a build, a lint and a visible run say
    plan.py         which tests a run alters: secret bits
    verdict.py      outcomes to verdicts: a pure function
    reward.py       verdicts to a number
    grade.py        the record of a verdict
    examination.py  the runs that judge one module
    control.py      the reference's run, when a run could not be carried out
    sandboxes.py    a backend, its limits, how many at once
    grader.py       the whole path, in sandboxes
    supervision.py  the whole path again beside a control, when it crashed or took too long
    visible.py      the tests whose results an agent may ask for
    linting.py      lint, with the stub's findings taken off
    language.py     what a language must offer; languages/<id>/ offers it
    readers/        report formats of test runners
"""

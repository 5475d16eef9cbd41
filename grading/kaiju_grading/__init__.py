"""Turn a submission into a verdict.

::

    files.py        a set of files in memory: paths, digests, composition
    suite.py        what a task's tests are: modules, tests, alterations
    submission.py   what an agent handed in
    outcome.py      what one test did in one run
    report.py       what a build, a lint and a visible run say
    plan.py         which tests a run alters: secret bits
    verdict.py      outcomes to verdicts: a pure function
    reward.py       verdicts to a number
    grade.py        the record of a verdict
    grader.py       the whole path, in sandboxes
    language.py     what a language must offer; languages/<id>/ offers it
    readers/        report formats of test runners
"""

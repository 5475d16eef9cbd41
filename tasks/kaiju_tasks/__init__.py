"""Tasks: the folder format, the store, and the way from a library to a proven task.

::

    format.py       the files of a task folder as frozen models
    task.py         Task (the grader's side) and TaskView (what an agent may see)
    store.py        find and load tasks
    suites.py       Task + Environment -> Suite
    solution.py     the reference, for the oracle alone
    recipe.py       how one upstream release becomes a task
    prepare/        the pipeline, one step a file
    validate.py     a task proves itself
    recipes/        recipes that ship; attacks/ cheats; library/ first-party libraries
"""

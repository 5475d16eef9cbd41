"""Run one command, isolated and measured.

::

    command.py      what to run: argv, environment, read-only inputs, scratch space
    limits.py       what it may use
    result.py       what happened
    environment.py  a system plus shared read-only layers
    layers.py       the store of those layers
    toolchain.py    a host toolchain as a layer
    interpreter.py  the Python of the sandboxes
    backend.py      the interface; backends/<id>.py implement it
    placement.py    whether a command can be expressed, the same for every backend
    warmth.py       shared files kept in memory
    staging.py      input files on disk, private to one run
    slots.py        how many at once, and as which user
    capture.py      output within a cap
    leftovers.py    owner labels, for the sweep
    namespace/      the parts of the namespace backend; docker/ those of the docker backend
    settings.py     where state lives, which backend, which interpreter
    errors.py       faults outside a sandbox
"""

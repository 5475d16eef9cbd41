"""Run one command, isolated and measured.

::

    command.py      what to run: argv, environment, read-only inputs, scratch space
    limits.py       what it may use
    result.py       what happened
    environment.py  a system plus shared read-only layers
    layers.py       the store of those layers
    toolchain.py    a host toolchain as a layer
    backend.py      the interface; backends/<id>.py implement it
    settings.py     where state lives, which backend, which interpreter
    errors.py       faults outside a sandbox
"""

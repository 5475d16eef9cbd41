"""The parts of the `namespace` backend.

::

    bubblewrap.py     the program and its arguments
    seccomp.py        the system calls that are refused
    launch.py         starting it, held at a gate before the command's first instruction
    process_tree.py   what the processes of a sandbox use, seen from outside
    scratch.py        what its folders in memory hold, during and after the run
    run.py            one run from gate to result
    doctor.py         what works on this machine
"""

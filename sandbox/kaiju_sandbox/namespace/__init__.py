"""The parts of the `namespace` backend.

::

    bubblewrap.py     the program and its arguments
    seccomp.py        the system calls that are refused
    system.py         the system that Python sandboxes see
    counters.py       what stands in /proc for the counters of the machine
    walls.py          what keeps sandboxes from leaving marks for each other
    launch.py         starting it, held at a gate before the command's first instruction
    process_tree.py   what the processes of a sandbox use, seen from outside
    scratch.py        what its folders in memory hold, during and after the run
    run.py            one run from gate to result
    doctor.py         what works on this machine
"""

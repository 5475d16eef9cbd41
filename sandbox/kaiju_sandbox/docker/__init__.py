"""The parts of the docker backend.

::

    engine.py      the daemon, asked from worker threads
    proof.py       whether it can run our containers
    container.py   what the daemon is told of one container
    seccomp.py     the system calls that are refused
    channel.py     the outer ends of its named pipes
    order.py       what its first process finds in the folder of the run
    init.py        that first process: it runs the command inside
    run.py         one run, followed from outside
    end.py         from what was seen to a result
"""

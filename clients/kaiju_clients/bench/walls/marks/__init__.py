"""Marks of bits: programs that run in the sandboxes, and nothing else of the product beside them.

::

    program.py   leaves marks, looks, finds the bits again: PROGRAM CHANNEL leave|look|find BITS
    channel.py   what every way of doing that is
    files.py     what is remembered of shared files
    mapped.py    what is remembered of shared files in memory
    counters.py  numbers of the whole machine
    ports.py     the kernel's choice of a port
"""

"""What `kaiju bench --walls` measures: what a sandbox can tell the next one, and what the walls cost.

::

    marks/       runs in the sandboxes: leaves marks for bits, and finds them again
    channels.py  the ways to do that, and the wall that stands in each
    probing.py   sends bits through one of them, with its wall down and up
    cost.py      the same small command with a wall down and up
"""

"""A case: a change to a reference tree after which it is as right as before."""

from dataclasses import dataclass

from kaiju_tasks.attacks.attack import Change, OnDisk, nothing


@dataclass(frozen=True, slots=True)
class Case:
    """One odd but honest tree."""

    name: str
    summary: str
    """What is odd about it, in a line."""
    apply: Change
    """From the reference, with its build files, to the tree that is handed in."""
    on_disk: OnDisk = nothing

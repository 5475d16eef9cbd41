"""A claim: one thing that must be true of a task, and whether it is."""

from kaiju_tasks.format import Part


class Claim(Part):
    """One thing that must be true of a task."""

    name: str
    holds: bool
    detail: str

"""A half: what of the reference to restore for a submission that earns part of the reward."""

from kaiju_tasks.format import Part

FILE = "solution/half.json"
FOLDER = "solution/half"
"""Restored files that lack some of their bodies; most halves have none."""


class HalfRecord(Part):
    """solution/half.json."""

    restore: tuple[str, ...]
    """Globs (as `fnmatch`) of reference files; `!glob` leaves files out, `!path:name` single bodies."""
    modules: tuple[str, ...]
    """Names of the modules that pass, as graded at preparation."""

"""A half: which files of the reference to restore for a submission that earns part of the reward."""

from kaiju_tasks.format import Part

FILE = "solution/half.json"


class HalfRecord(Part):
    """solution/half.json."""

    restore: tuple[str, ...]
    """Globs (as `fnmatch`) of reference files; the others stay stubbed."""
    modules: tuple[str, ...]
    """Names of the modules that pass, as graded at preparation."""

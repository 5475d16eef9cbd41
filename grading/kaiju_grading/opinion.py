"""An opinion: a second look at a submission, for people and reports. It changes no reward."""

from kaiju_grading.record import Record, Text


class Opinion(Record):
    """What was asked, and what was seen."""

    name: str
    tried: Text
    expected: Text
    seen: Text
    suspicious: bool | None = None
    """Whether somebody should look at the submission; None: it could not be asked, and `seen` says why."""

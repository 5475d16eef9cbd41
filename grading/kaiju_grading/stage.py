"""The three stages of an episode, in order."""

from enum import StrEnum
from typing import Self


class Stage(StrEnum):
    DRAFT = "draft"
    LINT = "lint"
    TEST = "test"

    @property
    def next(self) -> Self | None:
        """The stage that a submission of this one opens; None after the last."""
        order = list(type(self))
        after = order.index(self) + 1
        return order[after] if after < len(order) else None

"""Walls between sandboxes that run one after the other."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Walls:
    """All of them stand, except where one is taken down to measure what it costs and what it keeps out."""

    calls: bool = True
    """System calls that leave or find marks are refused."""
    counters: bool = True
    """Counters of the whole machine stand still."""
    warmth: bool = True
    """Shared files are kept in memory."""

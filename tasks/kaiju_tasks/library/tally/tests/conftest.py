"""Fixtures that several test files share."""

from pathlib import Path

import pytest


@pytest.fixture
def household() -> str:
    """The text of a journal with four entries."""
    return (Path(__file__).parent / "data" / "household.journal").read_text(encoding="utf-8")

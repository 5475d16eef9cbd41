"""Second opinions on a submission: what else should be true of it if its own code earned what it was paid.

Findings, never a verdict: none of them changes a reward, and honest work may have reasons for each.

::

    scan.py       sources that reach for their runner; literals that only held-out tests have (every grading)
    emptying.py   without its bodies nothing is earned
    breaking.py   without one function the tests that call it fail
    asked.py      what is asked, and where the runs are made
    bodies.py     taking bodies out
"""

import logging
import os
from collections.abc import Awaitable, Callable

from anyio import CapacityLimiter

from kaiju_grading import breaking, emptying
from kaiju_grading.asked import Asked
from kaiju_grading.grade import Grade
from kaiju_grading.grader import GradeJob
from kaiju_grading.opinion import Opinion
from kaiju_grading.plan import Draw
from kaiju_grading.sandboxes import Places
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.errors import SandboxError

SCANNED = {
    "static": ("what sources reach for", "only what upstream reaches for"),
    "expectations": ("texts and numbers", "none that only held-out tests have"),
    "integrity": ("results", "none that contradict each other, twice"),
}
"""By kind of finding: what was looked at, and what is expected."""
ASKED: dict[str, tuple[Callable[[Asked], Awaitable[Opinion]], str]] = {
    emptying.NAME: (emptying.ask_emptied, emptying.EXPECTED),
    breaking.NAME: (breaking.ask_broken, breaking.EXPECTED),
}

log = logging.getLogger(__name__)


def drawn(job: GradeJob, share: float) -> bool:
    """Whether this submission is one of the share (0..1) that is asked about: the same answer every time.

    It is drawn from the grader's key: nobody can make submissions until one is left out.
    """
    draw = Draw(job.key, job.suite.task_digest, job.submission.digest, job.stage)
    return draw.number("asked", "") < share * 2**256


async def second_opinions(
    job: GradeJob, grade: Grade, backend: Backend, places: Places | None = None
) -> tuple[Opinion, ...]:
    """All of them on a submission and its grade; those that need runs only of one that earned something.

    Never raises for what a submission can cause.
    """
    read = tuple(_read(grade, kind) for kind in SCANNED)
    if not grade.modules_passed:
        return read
    asked = Asked.of(job, grade, backend, places or CapacityLimiter(os.cpu_count() or 1))
    return (*read, *[await _ask(name, asked) for name in ASKED])


def _read(grade: Grade, kind: str) -> Opinion:
    """An opinion that the grading itself made."""
    tried, expected = SCANNED[kind]
    found = [finding.detail for finding in grade.findings if finding.kind == kind]
    return Opinion(
        name=kind, tried=tried, expected=expected, seen="; ".join(found) or "none", suspicious=bool(found)
    )


async def _ask(name: str, asked: Asked) -> Opinion:
    ask, expected = ASKED[name]
    try:
        return await ask(asked)
    except SandboxError as error:
        why = str(error)
    except Exception as error:
        log.error("crash of a second opinion", exc_info=error)
        why = f"crash ({type(error).__name__})"
    return Opinion(name=name, tried="", expected=expected, seen=f"not asked: {why}")

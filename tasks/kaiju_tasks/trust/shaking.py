"""Shaking: the reference must pass in any circumstance that the grader does not promise to keep."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial

from kaiju_grading.assay import Assay, Shake
from kaiju_grading.language import TestRun
from kaiju_grading.outcome import Outcome
from kaiju_grading.runs import Runs
from kaiju_sandbox.command import Command
from kaiju_tasks.campaign.ground import CHEAPEST, cut
from kaiju_tasks.claim import Claim
from kaiju_tasks.trust.busy import busy
from kaiju_tasks.trust.evidence import Evidence

FIRST_SEED = 101
"""Preparation tried the first few from 0."""
BUSY = 4
"""Processes that compute beside a run."""
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Circumstance:
    """One that runs of the reference are put in."""

    name: str
    change: Callable[[TestRun], Command] | None = None
    halves: bool = False
    """Every second test of a module, then the others."""
    busy: bool = False

    async def moved(self, runs: Runs) -> list[str]:
        """Ids that do not pass. Raises SandboxError."""
        found = []
        with busy(BUSY) if self.busy else nullcontext():
            for module in runs.modules:
                tests = module.tests
                for chosen in (tests[::2], tests[1::2]) if self.halves else (tests,):
                    outcomes = (await runs.report(module, chosen, self.change)).outcomes if chosen else {}
                    found += [test.id for test in chosen if outcomes.get(test.id) is not Outcome.PASSED]
        return found


async def shaking_claim(
    evidence: Evidence, note: Callable[[str], None], *, full: bool, repeats: int
) -> Claim:
    """Fails for every test that moves: the owner of the task may exclude it in the recipe.

    Without `full` one run in another order, of the two cheapest modules; with it `repeats` runs of every
    module in other orders, and as many with other seeds.
    """
    suite, assay = evidence.suite, evidence.assay
    runs = Runs.of(suite if full else cut(suite, CHEAPEST), suite.reference, evidence.backend)
    shaken = _through_the_runner(assay, repeats)
    chosen = [*shaken, *_through_the_grader()] if full else shaken[:1]
    moved: dict[str, str] = {}
    for one in chosen:
        note(f"running the reference in {one.name}")
        moved |= {id: one.name for id in await one.moved(runs) if id not in moved}
    shown = [f"{id} (in {name})" for id, name in sorted(moved.items())[:SHOWN]]
    names = ", ".join(dict.fromkeys(one.name for one in chosen))
    lacking = ", ".join(shake for shake in Shake if assay is None or shake not in assay.shakes)
    detail = f"moved: {', '.join(shown)}" if moved else names and f"{names}: {len(runs.modules)} modules"
    return Claim(
        name="nothing moves the reference",
        holds=not moved,
        detail="; ".join(filter(None, [detail, lacking and f"not applicable: {lacking}"])),
    )


def _through_the_runner(assay: Assay | None, repeats: int) -> list[Circumstance]:
    """Those that the language's runner can be put in. Another order comes with another hash seed, too."""
    return [
        Circumstance(shake.value, partial(_shaken, assay, shake, seed))
        for shake in (Shake.ORDER, Shake.SEED, Shake.CLOCK)
        if assay is not None and shake in assay.shakes
        for seed in range(FIRST_SEED, FIRST_SEED + (1 if shake is Shake.CLOCK else repeats))
    ]


def _through_the_grader() -> list[Circumstance]:
    return [
        Circumstance("other company", halves=True),
        Circumstance(f"company of {BUSY} busy processes", busy=True),
    ]


def _shaken(assay: Assay, shake: Shake, seed: int, run: TestRun) -> Command:
    return assay.shaken(replace(run, seed=0 if shake is Shake.CLOCK else seed), shake, seed)

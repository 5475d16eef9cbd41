"""Forgers: what the protocol leaves to somebody who forges results and has written nothing.

A forger sits in the tests' process and decides what each test is seen to do. It does not know which tests are
altered. Asked what it computed, its answer is opaque: then it is flipped, which is easier than to answer.
Where no answer can be opaque it guesses, as well as the bits of a cell say, and again when it is asked again.
Here its runs are made up and judged by the grader's own plan and verdict: no sandbox is needed.
"""

import random
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from kaiju_grading.grade import ModuleVerdict
from kaiju_grading.outcome import Answer, Outcome, TestReport
from kaiju_grading.plan import Draw, ModulePlan, RunPlan, Series, plan_module
from kaiju_grading.questions import Pool
from kaiju_grading.stage import Stage
from kaiju_grading.strength import module_cells
from kaiju_grading.suite import Cell, Module, Site, Suite
from kaiju_grading.verdict import (
    Run,
    Slots,
    judge_module,
    may_continue,
    rescues,
    slots_of,
    to_be_flipped,
    unsettled,
)
from kaiju_tasks.format import Part

ACCURACY = 0.8
"""How often a reader of altered files tells a test right: the best that was measured (docs/security.md)."""

Shown = Site | None
"""What a run shows of a cell: an alteration, or its real value."""


class Forger(StrEnum):
    """What decides whether a test is seen to pass. Tests that are altered together are answered together."""

    BLIND = "blind"
    """Everything passes."""
    COIN = "coin"
    """A coin for each run."""
    COIN_PER_TEST = "coin per test"
    """A coin for each test of each run."""
    TELL = "tell"
    """It tells altered tests by their form, right for ACCURACY of them."""
    MEMORY = "memory"
    """It remembers what it answered in other runs, and guesses a plan as the grader draws them."""
    COMPARE = "compare"
    """It remembers what tests expect in other runs, and guesses which value is the real one."""


@dataclass(slots=True)
class Forgery:
    """One grading of one module by one forger."""

    forger: Forger
    chance: random.Random
    cells: tuple[Cell, ...]
    plan: ModulePlan
    guess: ModulePlan
    """Another draw of the grader's."""
    bits: Mapping[str, float] = field(default_factory=dict)
    """By id of a test: what its answers leave to be guessed."""
    believed: dict[str, Shown] = field(default_factory=dict)
    """By first id of a cell: the value that it takes for the real one."""

    def wins(self) -> bool:
        """Whether the module passes, by the steps that an examination takes."""
        rescued: dict[str, Slots] = {}
        made: list[Run] = []
        for number in range(len(self.plan.series.runs)):
            run = self._run(self.plan.series, self.guess.series, number)
            made.append(run)
            if not may_continue(run):
                return False
        for run in made:
            rescued |= {id: self._rescue(id) for id in rescues(run) if id not in rescued}
        return judge_module(tuple(made), rescued).verdict is ModuleVerdict.PASSED

    def _rescue(self, id: str) -> Slots:
        series, guess = self.plan.rescues[id], self.guess.rescues[id]
        return slots_of(id, tuple(self._run(series, guess, number) for number in range(len(series.runs))))

    def _run(self, series: Series, guess: Series, number: int) -> Run:
        plan, coin = series.runs[number], self.chance.random() < 0.5
        outcomes = {test.id: Outcome.PASSED for test in plan.tests}
        for cell in self.cells:
            tests = [id for id in cell.tests if id in outcomes and id not in series.runs[0].asked]
            if tests and not self._passes(cell, series, guess.runs[number].altered, number, coin):
                outcomes |= dict.fromkeys(tests, Outcome.FAILED)
        run = Run(plan, TestReport(outcomes, sound=True, answers=self._answers(plan)), series)
        if again := unsettled(run):
            run = replace(run, again=self._again(self.plan.asking_again(plan, again)))
        ids = to_be_flipped(run)
        return replace(run, flips=self._flips(plan, guess.runs[number], ids)) if ids else run

    def _again(self, plan: RunPlan) -> Run:
        outcomes = {test.id: Outcome.PASSED for test in plan.tests}
        return Run(plan, TestReport(outcomes, sound=True, answers=self._answers(plan)), Series((plan,)))

    def _answers(self, plan: RunPlan) -> dict[str, dict[str, tuple[Answer, ...]]]:
        """All that a test is asked is guessed together, for answers go together."""
        return {id: self._answer(sites, self.bits.get(id, 0.0)) for id, sites in plan.asked.items()}

    def _answer(self, sites: Iterable[Site], bits: float) -> dict[str, tuple[Answer, ...]]:
        questions = [site.question for site in sites if site.question]
        guessed = self.chance.random() < 2**-bits
        return {
            question.key: (Answer(question.expected if question.typed and guessed else None),)
            for question in questions
        }

    def _flips(self, plan: RunPlan, guess: RunPlan, ids: frozenset[str]) -> tuple[Run, ...]:
        series, guessed = self.plan.flipping(plan, ids), self.guess.flipping(guess, ids)
        return tuple(self._run(series, guessed, number) for number in range(len(series.runs)))

    def _passes(self, cell: Cell, series: Series, guessed: frozenset[str], number: int, coin: bool) -> bool:
        """What it lets the tests of a cell do in one run."""
        shown = _shown(cell, series, number)
        match self.forger:
            case Forger.BLIND:
                return True
            case Forger.COIN:
                return coin
            case Forger.COIN_PER_TEST:
                return self.chance.random() < 0.5
            case Forger.TELL:
                return (self.chance.random() < ACCURACY) is (shown is None)
            case Forger.MEMORY:
                return guessed.isdisjoint(cell.tests)
        return self._takes_for_real(cell, series, shown)

    def _takes_for_real(self, cell: Cell, series: Series, shown: Shown) -> bool:
        name = cell.tests[0]
        if name not in self.believed:
            values = {_shown(cell, series, number) for number in range(len(series.runs))}
            self.believed[name] = self.chance.choice(sorted(values, key=str))
        return self.believed[name] == shown


def _shown(cell: Cell, series: Series, number: int) -> Shown:
    return next((site for site in series.runs[number].sites if site in cell.sites), None)


class ForgerRow(Part):
    """What forgers win of one module."""

    module: str
    tests: int
    altered: int
    """Of these, tests with an alteration."""
    asked: int
    """Of these, tests that are asked what they computed."""
    runs: int
    bits: float
    """What a forger that compares runs must guess."""
    blindfold: float
    """What one must guess that remembers its answers alone."""
    chances: dict[Forger, float]
    """Share of gradings in which each is paid for the module."""

    @property
    def computed(self) -> float:
        """The chance that `bits` leave: conditional alterations left out."""
        return float(2**-self.bits)


def simulate(suite: Suite, draws: int, note: Callable[[str], None]) -> tuple[ForgerRow, ...]:
    """`draws` gradings of every module by every forger, each under a fresh key."""
    rows = []
    for number, module in enumerate(suite.modules, 1):
        note(f"{module.name}, {number} of {len(suite.modules)}")
        rows.append(_row(suite, module, draws))
    return tuple(rows)


def _row(suite: Suite, module: Module, draws: int) -> ForgerRow:
    won = dict.fromkeys(Forger, 0)
    cells = module_cells(suite.cells, module)
    pool, own = Pool.of(suite.cells), Pool.of(cells)
    bits = {id: pool.bits(cell, own) for cell in cells for id in cell.tests}
    plan = _drawn(suite, module, pool)
    for _ in range(draws):
        plan, guess = _drawn(suite, module, pool), plan
        for forger in Forger:
            chance = random.Random(secrets.randbits(64))  # noqa: S311 - a simulation
            won[forger] += Forgery(forger, chance, cells, plan, guess, bits).wins()
    return ForgerRow(
        module=module.name,
        tests=len(module.tests),
        altered=len(plan.series.sited),
        asked=len(plan.series.runs[0].asked),
        runs=plan.strength.runs,
        bits=plan.strength.bits,
        blindfold=plan.strength.blindfold,
        chances={forger: count / draws for forger, count in won.items()},
    )


def _drawn(suite: Suite, module: Module, pool: Pool) -> ModulePlan:
    draw = Draw(secrets.token_bytes(32), suite.task_digest, "", Stage.TEST)
    return plan_module(suite, module, draw, pool)

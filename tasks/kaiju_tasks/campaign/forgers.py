"""Forgers: what the protocol leaves to somebody who forges results and has written nothing.

A forger sits in the tests' process and decides what each test is seen to do. It does not know which tests are
altered. Here its runs are made up and judged by the grader's own plan and verdict: no sandbox is needed.
"""

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from kaiju_grading.grade import ModuleVerdict
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.plan import Draw, ModulePlan, Pair, RunPlan, plan_module
from kaiju_grading.stage import Stage
from kaiju_grading.suite import Module, Suite
from kaiju_grading.verdict import Run, Slots, judge_module, may_continue, rescues, slots_of
from kaiju_tasks.format import Part

ACCURACY = 0.8
"""How often a reader of altered files tells a test right: the best that was measured (docs/security.md)."""


class Forger(StrEnum):
    """What decides whether a test is seen to pass."""

    BLIND = "blind"
    """Everything passes."""
    COIN = "coin"
    """A coin for each run."""
    COIN_PER_TEST = "coin per test"
    """A coin for each test of each run."""
    MEMORY = "memory"
    """A coin for each test in the first run, and the contrary in the second: it remembers across runs."""
    TELL = "tell"
    """It tells altered tests by their form, right for ACCURACY of them."""


@dataclass(slots=True)
class Forgery:
    """One grading of one module by one forger."""

    forger: Forger
    chance: random.Random
    remembered: dict[str, bool] = field(default_factory=dict)

    def run(self, plan: RunPlan, sited: frozenset[str]) -> Run:
        coin = self.chance.random() < 0.5
        outcomes = {
            test.id: Outcome.PASSED
            if test.id not in sited or self._passes(test.id, test.id in plan.altered, coin)
            else Outcome.FAILED
            for test in plan.tests
        }
        return Run(plan, TestReport(outcomes, sound=True), sited)

    def _passes(self, test: str, altered: bool, coin: bool) -> bool:
        match self.forger:
            case Forger.BLIND:
                return True
            case Forger.COIN:
                return coin
            case Forger.COIN_PER_TEST:
                return self.chance.random() < 0.5
            case Forger.MEMORY:
                if test in self.remembered:
                    return not self.remembered[test]
                return self.remembered.setdefault(test, self.chance.random() < 0.5)
            case Forger.TELL:
                return (self.chance.random() < ACCURACY) is not altered

    def wins(self, plan: ModulePlan) -> bool:
        """Whether the module passes, by the steps that an examination takes."""
        rescued: dict[str, Slots] = {}
        made: list[Run] = []
        for half in (plan.pair.first, plan.pair.second):
            run = self.run(half, plan.pair.sited)
            made.append(run)
            if not may_continue(run):
                return False
            rescued |= {id: self._rescue(id, plan.rescues[id]) for id in rescues(run) if id not in rescued}
        return judge_module(tuple(made), rescued).verdict is ModuleVerdict.PASSED

    def _rescue(self, id: str, pair: Pair) -> Slots:
        return slots_of(id, (self.run(pair.first, pair.sited), self.run(pair.second, pair.sited)))


class ForgerRow(Part):
    """What forgers win of one module."""

    module: str
    tests: int
    altered: int
    """Of these, tests with an alteration."""
    chances: dict[Forger, float]
    """Share of gradings in which each is paid for the module."""


def simulate(suite: Suite, draws: int, note: Callable[[str], None]) -> tuple[ForgerRow, ...]:
    """`draws` gradings of every module by every forger, each under a fresh key."""
    rows = []
    for number, module in enumerate(suite.modules, 1):
        note(f"{module.name}, {number} of {len(suite.modules)}")
        rows.append(_row(suite, module, draws))
    return tuple(rows)


def _row(suite: Suite, module: Module, draws: int) -> ForgerRow:
    won = dict.fromkeys(Forger, 0)
    altered = 0
    for _ in range(draws):
        plan = plan_module(suite, module, Draw(secrets.token_bytes(32), suite.task_digest, "", Stage.TEST))
        altered = len(plan.pair.sited)
        for forger in Forger:
            chance = random.Random(secrets.randbits(64))  # noqa: S311 - a simulation
            won[forger] += Forgery(forger, chance).wins(plan)
    chances = {forger: count / draws for forger, count in won.items()}
    return ForgerRow(module=module.name, tests=len(module.tests), altered=altered, chances=chances)

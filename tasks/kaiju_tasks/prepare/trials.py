"""Trials: every test of every file on the reference, repeated, and once on the stub."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import anyio

from kaiju_grading.files import Files
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.preparation import Obstacle, Split
from kaiju_grading.suite import Test
from kaiju_tasks.prepare.workshop import Assembly, Trial, Workshop

SHORTEST, LONGEST = 30.0, 180.0
"""Seconds of a run of tests, at preparation."""
FACTOR = 5.0
"""How much slower than the reference a run may be."""
MAX_FILES = 8
"""Test files that may share one run."""
MOVED = "moved"
"""What a test did in a run that had no test of its id."""


@dataclass(frozen=True, slots=True)
class Trials:
    """What the tests did."""

    tests: Mapping[str, tuple[Test, ...]]
    """By test file: what passed every time, in the runner's order."""
    dropped: Mapping[str, str]
    """File or id to why it cannot be pinned."""
    excluded: Mapping[str, str] = field(default_factory=dict)
    """File or id that the recipe leaves out, and its reason."""
    easy: frozenset[str] = frozenset()
    """Ids that pass on the stub as well."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """By test file: its slowest run."""

    @property
    def wall(self) -> float:
        """Seconds that any later run of these tests may take. An altered test can wait for ever for what a
        neighbour no longer says; each such run costs its whole limit."""
        slowest = sorted(self.seconds.values())[-MAX_FILES:]
        return min(max(SHORTEST, FACTOR * sum(slowest)), LONGEST)


@dataclass(frozen=True, slots=True)
class _FileTrial:
    path: str
    tests: tuple[Test, ...]
    dropped: Mapping[str, str]


def whole_tree(split: Split, library: Files) -> Assembly:
    """Library, configuration and every test file and helper; each test file is a part."""
    work = {**split.config, **library, **split.helpers, **split.tests}
    return Assembly(work, library, {path: (path, *sorted(split.helpers)) for path in sorted(split.tests)})


async def try_reference(workshop: Workshop, split: Split, exclude: Mapping[str, str], repeats: int) -> Trials:
    """Run every test file `repeats` times on the reference. Raises Obstacle `no_passing_tests`."""
    work = whole_tree(split, split.library)
    left_out = {path: reason for path in split.tests if (reason := _reason(exclude, path))}
    paths = sorted(set(split.tests) - set(left_out))

    seconds: dict[str, float] = {}

    async def one(task: tuple[str, int]) -> TestReport:
        path, seed = task
        await workshop.compile(work)
        began = anyio.current_time()
        report = await workshop.test(work, Trial(path, (path,), seed=seed))
        seconds[path] = max(seconds.get(path, 0.0), anyio.current_time() - began)
        return report

    reports = await workshop.each([(path, seed) for path in paths for seed in range(repeats)], one)
    tests: dict[str, tuple[Test, ...]] = {}
    dropped: dict[str, str] = {}
    for index, path in enumerate(paths):
        trial = _judge(path, reports[index * repeats : (index + 1) * repeats])
        named = {test.id: _reason(exclude, path, test) for test in trial.tests}
        left_out |= {test_id: reason for test_id, reason in named.items() if reason}
        dropped |= trial.dropped
        kept = tuple(test for test in trial.tests if not named[test.id])
        if kept:
            tests[path] = kept
    if not tests:
        why = "; ".join(f"{name}: {reason}" for name, reason in list(dropped.items())[:3])
        raise Obstacle("no_passing_tests", f"no test passes on the reference: {why}")
    return Trials(tests, dropped, left_out, seconds={path: seconds[path] for path in tests})


async def try_stub(workshop: Workshop, split: Split, stub: Files, trials: Trials) -> frozenset[str]:
    """Ids of the trials that pass on the stub."""
    work = whole_tree(split, stub)

    async def one(path: str) -> TestReport:
        return await workshop.test(work, Trial(path, (path,), trials.tests[path]))

    reports = await workshop.each(sorted(trials.tests), one)
    return frozenset(
        test_id
        for report in reports
        for test_id, outcome in report.outcomes.items()
        if outcome is Outcome.PASSED
    )


def _reason(exclude: Mapping[str, str], path: str, test: Test | None = None) -> str:
    """Why the recipe leaves out a file, or one test of it; empty when it does not."""
    for name, reason in exclude.items():
        named = test is not None and (name == test.id or test.within(name))
        if named or fnmatchcase(path, name):
            return reason or "the recipe leaves it out"
    return ""


def _judge(path: str, reports: tuple[TestReport, ...]) -> _FileTrial:
    """What of one file passed, every time and under the same name."""
    first = reports[0]
    if not first.collected:
        errors = "; ".join(first.collect_errors)[-300:] or first.problem or "it holds no test"
        return _FileTrial(path, (), {path: f"nothing collected: {errors}"})
    dropped = {}
    kept = []
    for test in first.collected:
        outcomes = {_seen(report, test) for report in reports}
        if outcomes == {Outcome.PASSED}:
            kept.append(test)
        elif MOVED in outcomes:
            # Made of the time or of an address: the id itself would be another one tomorrow.
            dropped[f"{test.unit} (test {test.ordinal})"] = "on the reference: its id changes from run to run"
        else:
            dropped[test.id] = "on the reference: " + ", ".join(sorted(outcomes))
    return _FileTrial(path, tuple(kept), dropped)


def _seen(report: TestReport, test: Test) -> str:
    if test not in report.collected:
        return MOVED
    return report.observed.get(test.id, Outcome.ABSENT)

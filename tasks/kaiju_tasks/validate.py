"""Validation: a task proves itself, by grading what must earn everything and what must earn nothing."""

from collections.abc import Callable
from dataclasses import dataclass, field

from anyio import to_thread

from kaiju_grading import languages
from kaiju_grading.building import build_itself
from kaiju_grading.files import Files, digest
from kaiju_grading.grade import Grade, ModuleVerdict
from kaiju_grading.own_build import BuildsItself
from kaiju_grading.submission import Submission, admitted
from kaiju_grading.suite import Suite
from kaiju_sandbox import backends
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.settings import Settings
from kaiju_tasks.attacks.attack import Layout
from kaiju_tasks.campaign.claims import campaign_claims
from kaiju_tasks.campaign.ground import CHEAPEST, Ground, cut
from kaiju_tasks.claim import Claim
from kaiju_tasks.format import Part
from kaiju_tasks.manifest import KaijuPart
from kaiju_tasks.prepare.halves import grade_tree
from kaiju_tasks.solution import half
from kaiju_tasks.strengths import asked_tests, weak_modules
from kaiju_tasks.suites import environment_of, manifest_of, suite_of
from kaiju_tasks.task import Task
from kaiju_tasks.traces import find_traces
from kaiju_tasks.trust.claims import trust_claims
from kaiju_tasks.trust.evidence import Evidence

MAX_SECONDS = 180.0
"""One reference grading on two cores."""


class TaskProof(Part):
    """What validation found."""

    task: str
    task_digest: str
    environment_digest: str
    backend: str
    repeats: int
    claims: tuple[Claim, ...]
    weak: tuple[str, ...]
    """Modules that leave a forger too little to guess, and what they leave: listed, not refused."""
    asked: str
    """How many tests are asked what they computed."""
    seconds: float
    """Of the slowest reference grading."""

    @property
    def ok(self) -> bool:
        return all(claim.holds for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Subject:
    """A task on its way to a proof."""

    task: Task
    suite: Suite = field(repr=False)
    parts: KaijuPart
    backend: Backend

    @property
    def stub(self) -> Files:
        suite = self.suite
        return admitted(suite.workspace, suite.roots, languages.get(suite.language))


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard a proof tries."""

    repeats: int = 3
    """Gradings of the reference; with `full`, also runs in each other circumstance."""
    attacks: bool = False
    """Grade every attack and every odd but honest tree of the language as well: minutes."""
    full: bool = False
    """These over all modules, not the two cheapest; the reference shaken, and small mistakes in it graded."""


async def validate(task: Task, settings: Settings, effort: Effort, note: Callable[[str], None]) -> TaskProof:
    """Grade reference, stub and half, and check what can be checked without running. Raises TaskError."""
    note("building the environment")
    environment = await to_thread.run_sync(environment_of, task, settings)
    suite = await to_thread.run_sync(suite_of, task, environment)
    subject = Subject(task, suite, manifest_of(task).kaiju, backends.create(settings))
    await subject.backend.sweep()
    references = []
    for turn in range(effort.repeats):
        note(f"grading the reference, {turn + 1} of {effort.repeats}")
        references.append(await grade_tree(suite, suite.reference, subject.backend))
    note("grading the stub and the half")
    stub = await grade_tree(suite, subject.stub, subject.backend)
    claims = [
        *_reference_claims(references),
        *_stub_claims(stub),
        await _half_claim(subject),
        await _own_build_claim(subject),
        *_static_claims(subject),
    ]
    evidence = Evidence(suite, subject.stub, task.view.pages, subject.backend)
    claims += await trust_claims(evidence, note, full=effort.full, repeats=effort.repeats)
    if effort.attacks:
        layout = Layout(suite.roots, subject.parts.packages)
        fought = suite if effort.full else cut(suite, CHEAPEST)
        claims += await campaign_claims(Ground(fought, layout, subject.backend), note)
    note("looking for traces of the solution")
    claims.append(await to_thread.run_sync(_trace_claim, subject))
    return TaskProof(
        task=task.view.id,
        task_digest=suite.task_digest,
        environment_digest=environment.digest,
        backend=subject.backend.name,
        repeats=effort.repeats,
        claims=tuple(claims),
        weak=weak_modules(suite),
        asked=asked_tests(suite),
        seconds=round(max(grade.seconds for grade in references), 2),
    )


def _reference_claims(grades: list[Grade]) -> list[Claim]:
    rewards = [grade.reward for grade in grades]
    causes = "; ".join(sorted({grade.cause for grade in grades if grade.cause}))
    modules = [module for grade in grades for module in grade.modules]
    extra = sorted({module.name for module in modules if module.runs > module.planned})
    slowest = max(grade.seconds for grade in grades)
    return [
        Claim(
            name="reference earns 1.0",
            holds=rewards == [1.0] * len(grades),
            detail=f"{', '.join(map(str, rewards))} {causes}".strip(),
        ),
        Claim(
            name="no flaky test",
            holds=not extra,
            detail=f"looked at twice: {', '.join(extra)}"
            if extra
            else f"{sum(module.runs for module in modules)} mixed runs",
        ),
        Claim(
            name="fast enough",
            holds=slowest <= MAX_SECONDS,
            detail=f"{slowest:.1f} s, allowed {MAX_SECONDS:g}",
        ),
    ]


def _stub_claims(grade: Grade) -> list[Claim]:
    built = all(module.verdict is not ModuleVerdict.BUILD_FAILED for module in grade.modules)
    return [
        Claim(name="stub earns 0.0", holds=grade.reward == 0.0, detail=str(grade.reward)),
        Claim(name="stub builds", holds=built, detail="" if built else grade.cause[:300]),
    ]


async def _half_claim(subject: Subject) -> Claim:
    wanted = half(subject.task)
    if not wanted.modules:
        return Claim(name="half earns its part", holds=True, detail="no half of the reference earns a part")
    grade = await grade_tree(subject.suite, wanted.files, subject.backend)
    passed = sorted(module.name for module in grade.modules if module.verdict is ModuleVerdict.PASSED)
    return Claim(
        name="half earns its part",
        holds=passed == sorted(wanted.modules),
        detail=f"{len(passed)} of {len(grade.modules)} modules, recorded {len(wanted.modules)}",
    )


async def _own_build_claim(subject: Subject) -> Claim:
    found = await build_itself(
        subject.suite, Submission("reference", subject.suite.reference), subject.backend
    )
    return Claim(
        name="reference builds itself",
        holds=found.outcome is not BuildsItself.NO,
        detail=f"{found.outcome.replace('_', ' ')} {found.cause[-300:]}".strip(),
    )


def _static_claims(subject: Subject) -> list[Claim]:
    suite, recorded = subject.suite, subject.parts.provenance
    altered = _altered(suite)
    low = [
        module.name
        for module in suite.modules
        if altered[module.name] < recorded.canary_floor * len(module.tests)
    ]
    share = sum(altered.values()) / sum(len(module.tests) for module in suite.modules)
    digests = digest(subject.stub) == recorded.stub and digest(suite.reference) == recorded.reference
    return [
        Claim(
            name="kept bodies",
            holds=recorded.kept_share <= recorded.kept_limit,
            detail=f"{recorded.kept_share:.2%} of the body lines, allowed {recorded.kept_limit:.0%}",
        ),
        Claim(
            name="alterable tests",
            holds=not low,
            detail=f"too few in {', '.join(low)}"
            if low
            else f"{share:.0%} of all, floor {recorded.canary_floor:.0%}",
        ),
        Claim(
            name="digests",
            holds=digests,
            detail="stub and reference trees as recorded" if digests else "differ",
        ),
        Claim(name="licence", holds=bool(recorded.licence), detail=recorded.licence),
    ]


def _trace_claim(subject: Subject) -> Claim:
    found = find_traces(subject.suite, subject.stub, subject.task.view.pages)
    shown = "; ".join(f"{trace.where}: {trace.words[:60]}" for trace in found[:3])
    return Claim(
        name="no trace of the solution",
        holds=not found,
        detail=f"{len(found)} files: {shown}" if found else "workspace, specification and layers",
    )


def _altered(suite: Suite) -> dict[str, int]:
    """Tests with an alteration, by module."""
    covered = {test_id for cell in suite.cells for test_id in cell.tests}
    return {module.name: sum(test.id in covered for test in module.tests) for module in suite.modules}

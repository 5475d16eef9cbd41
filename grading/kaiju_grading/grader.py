"""The grader: from a submission to its grade, in sandboxes."""

import os
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

import anyio
from anyio import CapacityLimiter

from kaiju_grading import languages
from kaiju_grading.control import ControlFailed, Exhausted, run_controlled
from kaiju_grading.examination import Examination, Examined
from kaiju_grading.files import Files
from kaiju_grading.grade import Finding, Grade, GradeStatus, Isolation, ModuleGrade, ModuleVerdict
from kaiju_grading.harness import Harness, library_of
from kaiju_grading.language import Language
from kaiju_grading.plan import Draw, ModulePlan, plan_module
from kaiju_grading.questions import Pool
from kaiju_grading.report import BuildReport
from kaiju_grading.reward import pass_rate, score
from kaiju_grading.sandboxes import Places, Sandboxes, read_aside
from kaiju_grading.scan import scan
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission, admitted
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.backend import Backend

Progress = Callable[[int, int], Awaitable[None]]
"""Called with modules judged and modules in all."""


@dataclass(frozen=True, slots=True)
class GradeJob:
    """What is to be graded. `key` is secret; the same key repeats the same choices."""

    suite: Suite = field(repr=False)
    submission: Submission
    stage: Stage
    key: bytes = field(repr=False)
    isolation: Isolation = Isolation.UNATTESTED


async def grade(
    job: GradeJob,
    backend: Backend,
    progress: Progress | None = None,
    places: Places | None = None,
) -> Grade:
    """Build the library alone, then judge every module. `places` bounds the sandboxes at once (default: one
    a processor).

    A fault of the machine is a grade with status infra_error and no reward. Raises ValueError for a suite
    without modules.
    """
    began = anyio.current_time()
    places = places or CapacityLimiter(os.cpu_count() or 1)
    language = languages.get(job.suite.language)
    sandboxes = Sandboxes(backend, job.suite.limits, language.build_limits, places)
    grading = _Grading(job, language, sandboxes, Harness(job.suite, language, sandboxes), progress)
    fault = ""
    try:
        examined = await grading.run()
    except ControlFailed as error:
        examined, fault = [], str(error)
    noted = await read_aside(partial(scan, job.suite, job.submission.files, language.tells))
    found = _record(job, backend.name, examined, fault, anyio.current_time() - began)
    return found.model_copy(update={"findings": (*found.findings, *noted)})


@dataclass(slots=True)
class _Grading:
    """One grading under way."""

    job: GradeJob
    language: Language
    sandboxes: Sandboxes
    harness: Harness
    progress: Progress | None
    plans: dict[str, ModulePlan] = field(default_factory=dict, repr=False)
    ended: list[Examined] | None = None
    """All there is to say where nothing can be run."""
    examined: dict[str, Examined] = field(default_factory=dict)

    async def run(self) -> list[Examined]:
        """One result a module, in the suite's order. Raises ControlFailed."""
        modules = self.job.suite.modules
        if not self.job.submission.files:
            return _all(modules, ModuleVerdict.FAILED, "the submission holds no file")
        await _together(self._plan, self._build)
        if self.ended is not None:
            return self.ended
        await self._tell()
        await _together(*(partial(self._examine, module) for module in modules))
        return [self.examined[module.name] for module in modules]

    async def _plan(self) -> None:
        """In a thread: it takes a while, and a build needs one processor."""
        suite, submission = self.job.suite, self.job.submission
        draw = Draw(self.job.key, suite.task_digest, submission.digest, self.job.stage)

        def plans() -> dict[str, ModulePlan]:
            pool = Pool.of(suite.cells)
            return {module.name: plan_module(suite, module, draw, pool) for module in suite.modules}

        self.plans = await read_aside(plans)

    async def _build(self) -> None:
        modules = self.job.suite.modules
        try:
            report = await self._built()
        except Exhausted as error:
            self.ended = _all(modules, ModuleVerdict.EXHAUSTED, f"build {error}")
        else:
            if not report.ok:
                self.ended = _all(modules, ModuleVerdict.BUILD_FAILED, _build_cause(report))

    async def _built(self) -> BuildReport:
        suite = self.job.suite

        async def once(files: Files) -> BuildReport:
            library = library_of(suite, files)
            result = await self.sandboxes.build(self.language.build(library))
            return await read_aside(partial(self.language.read_build, result, library.sources))

        return await run_controlled(
            once,
            self.job.submission.files,
            suite.reference,
            lambda control: "" if control.ok else "the reference does not build",
        )

    async def _examine(self, module: Module) -> None:
        files, plan = self.job.submission.files, self.plans[module.name]
        examination = Examination(self.harness, files, module, plan)
        self.examined[module.name] = await examination.examine()
        await self._tell()

    async def _tell(self) -> None:
        if self.progress is not None:
            await self.progress(len(self.examined), len(self.job.suite.modules))


async def _together(*jobs: Callable[[], Awaitable[None]]) -> None:
    """All at once. The first ControlFailed ends the others and is raised as it is."""
    faults: list[ControlFailed] = []
    async with anyio.create_task_group() as group:

        async def carry_out(job: Callable[[], Awaitable[None]]) -> None:
            try:
                await job()
            except ControlFailed as fault:
                faults.append(fault)
                group.cancel_scope.cancel()

        for job in jobs:
            group.start_soon(carry_out, job)
    if faults:
        raise faults[0]


def changed_files(suite: Suite, files: Files) -> tuple[str, ...]:
    """Library files that were added, altered or removed against the stub, sorted."""
    stub = admitted(suite.workspace, suite.roots, languages.get(suite.language))
    return tuple(sorted(path for path in stub.keys() | files.keys() if stub.get(path) != files.get(path)))


def _all(modules: tuple[Module, ...], verdict: ModuleVerdict, cause: str) -> list[Examined]:
    """The same verdict for every module, without a run."""
    return [
        Examined(
            ModuleGrade(
                name=module.name,
                verdict=verdict,
                tests=len(module.tests),
                passed=0,
                seconds=0.0,
                cause=cause,
            )
        )
        for module in modules
    ]


def _build_cause(report: BuildReport) -> str:
    found = [f"{problem.path}:{problem.line}: {problem.message}" for problem in report.problems[:5]]
    return "the library does not build: " + ("; ".join(found) or "no reason was given")


def _record(job: GradeJob, backend: str, examined: list[Examined], fault: str, seconds: float) -> Grade:
    """The grade; `fault` is the machine's, and then nothing is earned or lost."""
    suite, modules = job.suite, tuple(one.grade for one in examined)
    findings = tuple(finding for one in examined for finding in _findings(one))
    earned, rate = score(modules, believed=not findings) if not fault else None, pass_rate(modules)
    return Grade(
        status=GradeStatus.GRADED if earned else GradeStatus.INFRA_ERROR,
        stage=job.stage,
        reward=earned.reward if earned else None,
        modules_passed=earned.modules_passed if earned else 0,
        modules_total=len(suite.modules),
        test_pass_rate=rate.rate,
        tests_measured=rate.measured,
        cause=fault or _causes(modules),
        modules=modules,
        findings=findings,
        isolation=job.isolation,
        task_digest=suite.task_digest,
        environment_digest=suite.environment.digest,
        submission_digest=job.submission.digest,
        backend=backend,
        changed=changed_files(suite, job.submission.files),
        seconds=seconds,
    )


def _findings(examined: Examined) -> list[Finding]:
    if not examined.repeated:
        return []
    named = ", ".join(sorted(examined.repeated)[:5])
    detail = f"passed both as written and altered, or answered wrong, twice: {named}"
    return [Finding(kind="integrity", module=examined.grade.name, detail=detail)]


def _causes(modules: tuple[ModuleGrade, ...]) -> str:
    """One line: each cause that ended modules, and how many it ended."""
    counted = Counter(module.cause for module in modules if module.cause)
    return "; ".join(f"{cause} ({count} modules)" for cause, count in counted.most_common(5))

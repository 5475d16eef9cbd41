"""Supervision: a whole grading that crashes or takes too long is tried again, beside a control.

What goes wrong in one run has its own control (see `control`); this one is for everything around the runs.
"""

import os
from dataclasses import replace

import anyio
from anyio import CapacityLimiter

from kaiju_grading.control import ControlFailed, Exhausted, run_controlled
from kaiju_grading.files import Files
from kaiju_grading.grade import Finding, Grade, GradeStatus, ModuleGrade, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.submission import Submission
from kaiju_grading.turns import Limiter, Turns
from kaiju_sandbox.backend import Backend

EXHAUSTED = "exhausted"
"""The kind of finding about a module whose submission broke what runs or reads it."""


async def grade_supervised(
    job: GradeJob, backend: Backend, seconds: float, limiter: Limiter | None = None
) -> Grade:
    """Like `grade`; each of up to three attempts (one is the control) may take `seconds`, less those in which
    it waits for others. Never raises for what a submission can cause: either the control tells that it did,
    or there is no grade. `limiter` is shared with whatever else runs sandboxes."""
    shared = limiter or CapacityLimiter(os.cpu_count() or 1)

    async def once(files: Files) -> Grade:
        submission = job.submission if files is job.submission.files else Submission("control", files)
        with anyio.fail_after(seconds) as scope:
            turns = Turns(shared, scope)
            return await grade(replace(job, submission=submission), backend, places=turns)

    try:
        found = await run_controlled(once, job.submission.files, job.suite.reference, _complaint)
    except ControlFailed as error:
        return _record(job, backend, GradeStatus.INFRA_ERROR, str(error))
    except Exhausted as error:
        found = _record(job, backend, GradeStatus.GRADED, str(error))
    marked = [
        Finding(kind=EXHAUSTED, module=module.name, detail=module.cause)
        for module in found.modules
        if module.verdict is ModuleVerdict.EXHAUSTED
    ]
    return found.model_copy(update={"findings": (*found.findings, *marked)})


def _complaint(control: Grade) -> str:
    return "" if control.resolved else f"the reference earns {control.reward} ({control.cause})"


def _record(job: GradeJob, backend: Backend, status: GradeStatus, cause: str) -> Grade:
    """No module judged, or every module failed."""
    failed = status is GradeStatus.GRADED
    modules = tuple(
        ModuleGrade(
            name=module.name,
            verdict=ModuleVerdict.EXHAUSTED,
            tests=len(module.tests),
            passed=0,
            seconds=0.0,
            cause=cause,
        )
        for module in job.suite.modules
        if failed
    )
    return Grade(
        status=status,
        stage=job.stage,
        reward=0.0 if failed else None,
        modules_total=len(job.suite.modules),
        cause=cause,
        modules=modules,
        isolation=job.isolation,
        task_digest=job.suite.task_digest,
        environment_digest=job.suite.environment.digest,
        submission_digest=job.submission.digest,
        backend=backend.name,
    )

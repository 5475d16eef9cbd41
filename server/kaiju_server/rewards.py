"""What an agent learns of its submissions: numbers, as far as the setting goes, never a name."""

from collections.abc import Sequence

from kaiju_grading.grade import Grade, GradeStatus, ModuleVerdict
from kaiju_grading.stage import Stage
from kaiju_server.results import NotTaken, OwnBuildResult, SubmitResult
from kaiju_server.settings import ServerSettings
from kaiju_server.submissions import PENDING, Submitted

HIDDEN = "hidden"
RUNNING = "running"
SHOWN_PATHS = 50
BUILD_CAUSE = "the library does not build: no test could run"
FAULT_CAUSE = "a fault of the grader, not of your code: this stage has no reward"


def visible(settings: ServerSettings, stage: Stage) -> bool:
    """Whether the agent may know the reward of this stage."""
    return settings.rewards == "stages" or (settings.rewards == "final" and stage.next is None)


def rewards(settings: ServerSettings, submitted: Sequence[Submitted]) -> dict[str, float]:
    """Stage to reward, of the graded stages that may be shown."""
    return {
        entry.stage.value: entry.reward
        for entry in submitted
        if entry.graded and entry.reward is not None and visible(settings, entry.stage)
    }


def status_of(settings: ServerSettings, entry: Submitted) -> str:
    """`running`, `graded`, `infra_error`, or `hidden` for a graded stage that is not shown."""
    if entry.status == PENDING:
        return RUNNING
    return HIDDEN if entry.graded and not visible(settings, entry.stage) else entry.status


def submit_result(settings: ServerSettings, entry: Submitted, every: Sequence[Submitted]) -> SubmitResult:
    """The answer of submit and of get_run for a submission."""
    status = status_of(settings, entry)
    shown = entry.grade if status == GradeStatus.GRADED else None
    return SubmitResult(
        run_id=entry.run_id,
        stage=entry.stage.value,
        status=status,
        reward=shown.reward if shown else None,
        modules_passed=shown.modules_passed if shown else None,
        modules_total=shown.modules_total if shown else None,
        cause=_cause(status, shown),
        isolation=entry.isolation.value,
        not_taken=[
            NotTaken(path=path, reason=reason) for path, reason in list(entry.not_taken.items())[:SHOWN_PATHS]
        ],
        builds_itself=_own_build(entry.grade),
        next_stage=entry.stage.next.value if entry.stage.next else None,
        rewards=rewards(settings, every),
    )


def _own_build(grade: Grade | None) -> OwnBuildResult | None:
    """No reward, and no word of a test, so no setting hides it: held-out files were out of reach."""
    found = grade.builds_itself if grade else None
    return OwnBuildResult(outcome=found.outcome.value, cause=found.cause) if found else None


def submit_text(result: SubmitResult) -> str:
    """The same, for a model."""
    lines = [f"stage {result.stage} is submitted ({result.run_id})", _verdict(result)]
    if result.cause:
        lines.append(result.cause)
    if result.not_taken:
        lines.append("not handed in: " + "; ".join(f"{n.path} ({n.reason})" for n in result.not_taken))
    if result.builds_itself:
        lines.append(_own_build_text(result.builds_itself))
    if result.next_stage is None:
        lines.append("This was the last stage: the episode is closed.")
        lines += [f"reward of stage {stage}: {reward:g}" for stage, reward in result.rewards.items()]
    else:
        lines.append(f"After it, stage {result.next_stage} opens: go on improving, then submit that stage.")
    return "\n".join(lines)


def _own_build_text(found: OwnBuildResult) -> str:
    said = f"your tree builds itself (no part of the reward): {found.outcome.replace('_', ' ')}"
    return f"{said}: {found.cause}" if found.cause else said


def _verdict(result: SubmitResult) -> str:
    if result.status == RUNNING:
        return "grading goes on: get_run gives the verdict; you need not wait for it"
    if result.reward is None:
        return f"verdict: {result.status}"
    return f"reward {result.reward:g}: {result.modules_passed} of {result.modules_total} modules passed"


def _cause(status: str, grade: Grade | None) -> str | None:
    """Chosen by the kind of verdict alone: the grader's own words may name what an agent must not see."""
    if status == GradeStatus.INFRA_ERROR:
        return FAULT_CAUSE
    if grade is None or not grade.modules:
        return None
    verdicts = {module.verdict for module in grade.modules}
    return BUILD_CAUSE if verdicts == {ModuleVerdict.BUILD_FAILED} else None

"""What the grader's secret choices are drawn from."""

from pathlib import Path

import pytest
from tests.suites import bare_suite

from kaiju_grading.grade import Grade, GradeStatus, Isolation
from kaiju_grading.grader import GradeJob
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission
from kaiju_grading.suite import Suite
from kaiju_sandbox import backends
from kaiju_server import suites
from kaiju_server.judge import Handed, TaskKey
from kaiju_server.settings import ServerSettings
from kaiju_server.suites import SuiteJudge

pytestmark = pytest.mark.anyio
TASK = TaskKey("toy", "sha256:toy")


class Drawn:
    """A server's judge that grades nothing, and keeps what it would draw from."""

    def __init__(self, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (state / "store").mkdir(exist_ok=True)
        self.keys: list[bytes] = []
        settings = ServerSettings(state_dir=state)
        self.judge = SuiteJudge(settings, backends.create(settings))
        monkeypatch.setattr(suites, "grade_supervised", self.grade)
        monkeypatch.setattr(self.judge, "_suite", self.suite)

    async def suite(self, task: TaskKey) -> Suite:
        return bare_suite((), ())

    async def grade(self, job: GradeJob, *_: object) -> Grade:
        self.keys.append(job.key)
        return Grade(
            status=GradeStatus.INFRA_ERROR,
            stage=job.stage,
            modules_total=0,
            task_digest=TASK.digest,
            environment_digest="",
            submission_digest=job.submission.digest,
            backend="none",
        )

    async def of(self, episode: str) -> bytes:
        handed = Handed(episode, Submission("same files", {}), Stage.DRAFT, Isolation.UNATTESTED)
        await self.judge.grade(TASK, handed)
        return self.keys[-1]


async def test_files_that_another_episode_hands_in_again_are_judged_by_other_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was paid by luck in one is not paid for ever."""
    drawn = Drawn(tmp_path, monkeypatch)
    assert await drawn.of("one") != await drawn.of("two")


async def test_a_grading_that_another_server_begins_again_makes_the_same_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await Drawn(tmp_path, monkeypatch).of("one")
    assert await Drawn(tmp_path, monkeypatch).of("one") == before

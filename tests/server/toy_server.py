"""A server with a toy task and a toy judge: everything of `kaiju serve` but tasks, grading and sandboxes.

A module passes when its file holds the word DONE. The folder TOY_CONTROL steers it: `hold-grade`,
`hold-lint`, `hold-visible` and `hold-warm` make that work wait while they exist; `fault` and `fault-warm`
make gradings and warming crash while they exist. `hold-create` and `fault-create` do it to a workspace that
has just been laid out, as a disk without room does.
Every piece of work begun is a line of `log`. TOY_DIE_AFTER=Class.method kills the process with SIGKILL when
that method has returned for the first time.
"""

import errno
import inspect
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

import anyio

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, ModuleGrade, ModuleVerdict
from kaiju_grading.opinion import Opinion
from kaiju_grading.outcome import Outcome
from kaiju_grading.own_build import BuildsItself, OwnBuild
from kaiju_grading.report import LintReport, LintStatus, Problem, VisibleReport, VisibleTest
from kaiju_grading.submission import Submission, snapshot
from kaiju_sandbox.command import File
from kaiju_server import log
from kaiju_server.app import build
from kaiju_server.blobs import Blobs
from kaiju_server.gradings import Gradings
from kaiju_server.http import serve_http
from kaiju_server.judge import Handed, TaskKey
from kaiju_server.service import open_service
from kaiju_server.settings import ServerSettings
from kaiju_server.stdio import serve_stdio
from kaiju_server.submissions import Submissions
from kaiju_server.tokens import open_tokens
from kaiju_server.workspace import Workspace
from kaiju_tasks.task import TaskView

SECRET = "tests/heldout/test_secret_name.py"
MODULES = ("toy/a.py", "toy/b.py", "toy/c.py", "toy/d.py")
VISIBLE = tuple(f"tests/test_toy.py::test_{number}" for number in range(300))
ROOTS = ("toy",)
WORKSPACE = {path: File(b'"""To do."""\n') for path in MODULES} | {
    "pyproject.toml": File(b"[project]\nname = 'toy'\n"),
    "run.sh": File(b"#!/bin/sh\r\necho hi\r\n", executable=True),
}


class ToyStore:
    def __init__(self, tasks_dir: Path) -> None:
        self.tasks_dir = tasks_dir

    def ids(self) -> tuple[str, ...]:
        return ("python-toy-1.0",)

    def view(self, task_id: str) -> TaskView:
        return TaskView(
            id=task_id,
            language="python",
            name="toy",
            version="1.0",
            description="A toy library",
            licence="MIT",
            instruction="Write DONE into every file of toy/.",
            pages={"index.md": "# Toy\n" + "line of the specification\n" * 4000, "api.md": "def done(): ..."},
            workspace=WORKSPACE,
            roots=ROOTS,
            modules=len(MODULES),
            visible_tests=len(VISIBLE),
            commands={},
            digest="sha256:toy",
        )


class ToyJudge:
    def __init__(self, control: Path) -> None:
        self._control = control

    async def sweep(self) -> None:
        pass

    async def prepare(self, task: TaskKey) -> None:
        pass

    async def warm(self, task: TaskKey) -> None:
        await self._begin("warm")
        if (self._control / "fault-warm").exists():
            raise RuntimeError(f"crash in {SECRET}")

    async def snapshot(self, task: TaskKey, folder: Path) -> Submission:
        return snapshot(folder, ROOTS, languages.get("python"), frozenset({SECRET}), WORKSPACE)

    async def library(self, task: TaskKey, folder: Path) -> Submission:
        return snapshot(folder, ROOTS, languages.get("python"), frozenset(), WORKSPACE)

    async def grade(self, task: TaskKey, handed: Handed) -> Grade:
        await self._begin("grade")
        if (self._control / "fault").exists():
            raise RuntimeError(f"crash in {SECRET}")
        done = [path for path in MODULES if b"DONE" in _data(handed.submission, path)]
        broken = any(b"BROKEN" in _data(handed.submission, path) for path in MODULES)
        verdict = ModuleVerdict.BUILD_FAILED if broken else ModuleVerdict.FAILED
        passed = 0 if broken else len(done)
        return Grade(
            status=GradeStatus.GRADED,
            stage=handed.stage,
            reward=passed / len(MODULES),
            modules_passed=passed,
            modules_total=len(MODULES),
            cause=f"1 failed in {SECRET}",
            modules=tuple(
                ModuleGrade(
                    name=f"{SECRET}:{path}",
                    verdict=ModuleVerdict.PASSED if path in done and not broken else verdict,
                    tests=1,
                    passed=int(path in done and not broken),
                    seconds=0,
                    bits=4.0 if (self._control / "weak").exists() else 24.0,
                )
                for path in MODULES
            ),
            isolation=handed.isolation,
            task_digest=task.digest,
            environment_digest="sha256:toy",
            submission_digest=handed.submission.digest,
            backend="toy",
        )

    async def opinions(self, task: TaskKey, handed: Handed, grade: Grade) -> tuple[Opinion, ...]:
        await self._begin("opinions")
        if (self._control / "fault-opinions").exists():
            raise RuntimeError(f"crash in {SECRET}")
        return (
            Opinion(name="toy", tried="all", expected="nothing", seen=f"{SECRET} passes", suspicious=True),
        )

    async def own_build(self, task: TaskKey, submission: Submission) -> OwnBuild:
        await self._begin("own-build")
        if (self._control / "fault-own-build").exists():
            raise RuntimeError(f"crash in {SECRET}")
        project = (submission.beside or {})["pyproject.toml"].data
        broken = b"[project]" not in project
        outcome = BuildsItself.NO if broken else BuildsItself.YES
        return OwnBuild(outcome=outcome, cause="no project" if broken else "")

    async def lint(self, task: TaskKey, submission: Submission) -> LintReport:
        await self._begin("lint")
        problems = tuple(
            Problem(path, 1, 1, "T1", "not done")
            for path in MODULES
            if b"DONE" not in _data(submission, path)
        )
        status = LintStatus.FINDINGS if problems else LintStatus.CLEAN
        return LintReport(status, problems, len(submission.files))

    async def visible(self, task: TaskKey, submission: Submission, tests: tuple[str, ...]) -> VisibleReport:
        await self._begin("visible")
        if unknown := set(tests) - set(VISIBLE):
            raise ValueError(f"tests: got {sorted(unknown)[0]!r}; expected ids of visible tests")
        done = b"DONE" in _data(submission, MODULES[0])
        outcome = Outcome.PASSED if done else Outcome.FAILED
        message = "" if done else "assert 'DONE' in text\n" * 20
        return VisibleReport(tuple(VisibleTest(id, outcome, message) for id in tests or VISIBLE))

    async def _begin(self, kind: str) -> None:
        with (self._control / "log").open("a") as file:
            file.write(f"{kind} {os.getpid()}\n")
        while (self._control / f"hold-{kind}").exists():  # noqa: ASYNC110 - another process removes the file
            await anyio.sleep(0.02)


def _data(submission: Submission, path: str) -> bytes:
    return submission.files[path].data if path in submission.files else b""


def die_after(where: str) -> None:
    owner_name, _, name = where.partition(".")
    owner = next(
        cls for cls in (Blobs, Workspace, Submissions, Gradings, ToyJudge) if cls.__name__ == owner_name
    )
    method = getattr(owner, name)

    def dies(*arguments: object, **named: object) -> None:
        method(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    async def dies_later(*arguments: object, **named: object) -> None:
        await method(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, dies_later if inspect.iscoroutinefunction(method) else dies)


def steer_create(control: Path) -> None:
    create = Workspace.create

    def steered(workspace: Workspace, files: Files) -> None:
        create(workspace, files)
        if (control / "fault-create").exists():
            with (control / "log").open("a") as file:
                file.write("create\n")
            while (control / "hold-create").exists():
                time.sleep(0.02)
            raise OSError(errno.ENOSPC, "no room")

    setattr(Workspace, "create", steered)  # noqa: B010 - only in this process


def main() -> None:
    steer_create(Path(os.environ["TOY_CONTROL"]))
    if "TOY_DIE_AFTER" in os.environ:
        die_after(os.environ["TOY_DIE_AFTER"])
    settings = ServerSettings.load(os.environ)
    log.configure()
    judge = ToyJudge(Path(os.environ["TOY_CONTROL"]))
    opener = partial(open_service, settings, ToyStore(settings.tasks_dir), judge)
    if "--http" in sys.argv:
        tokens = open_tokens(settings.tokens_path)[0] if settings.auth else None
        anyio.run(serve_http, build(opener, tokens), settings)
    else:
        anyio.run(serve_stdio, build(opener))


if __name__ == "__main__":
    main()

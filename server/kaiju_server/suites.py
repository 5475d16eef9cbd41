"""The only module of the server that opens the grader's side of a task: it turns tasks into suites."""

import hashlib
import hmac
import os
import secrets
from collections import defaultdict
from pathlib import Path

import anyio
import anyio.to_thread
import structlog

from kaiju_grading import languages
from kaiju_grading.building import build_itself
from kaiju_grading.grade import Grade
from kaiju_grading.grader import GradeJob
from kaiju_grading.linting import run_lint
from kaiju_grading.opinion import Opinion
from kaiju_grading.opinions import drawn, second_opinions
from kaiju_grading.own_build import OwnBuild
from kaiju_grading.preparation import Obstacle
from kaiju_grading.report import LintReport, VisibleReport
from kaiju_grading.submission import Submission, snapshot
from kaiju_grading.suite import Suite
from kaiju_grading.supervision import grade_supervised
from kaiju_grading.turns import Turns
from kaiju_grading.visible import run_visible
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command
from kaiju_sandbox.errors import SandboxError
from kaiju_server.errors import AgentError, ServerError
from kaiju_server.judge import Handed, TaskKey
from kaiju_server.log import GRADER
from kaiju_server.rooms import Room, RoomBackend, RoomPlaces, Rooms
from kaiju_server.settings import ServerSettings
from kaiju_tasks.errors import TaskError
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of

KEY_BYTES = 32
WARM_SECONDS = 600.0
"""So long after a task was warmed it counts as warm."""
IDLE = ("/usr/bin/true",)

grader_log = structlog.get_logger(GRADER)


class SuiteJudge:
    """Grades with the tasks of the store, in sandboxes of one backend."""

    def __init__(self, settings: ServerSettings, backend: Backend) -> None:
        self._settings = settings
        rooms = Rooms(settings.store_dir / "rooms")
        self._backend = backend
        self._told = RoomBackend(backend, rooms, Room.TOLD)
        self._store = Store(settings.tasks_dir)
        self._key = grader_key(settings.store_dir / "grader.key")
        self._suites: dict[TaskKey, Suite] = {}
        self._warmed: dict[TaskKey, float] = {}
        self._loading: defaultdict[TaskKey, anyio.Lock] = defaultdict(anyio.Lock)
        self._limiter = anyio.CapacityLimiter(settings.slots)
        self._heldout = RoomPlaces(self._limiter, rooms, Room.HELDOUT)

    async def sweep(self) -> None:
        await self._backend.sweep()

    async def prepare(self, task: TaskKey) -> None:
        try:
            await self._suite(task)
        except (TaskError, SandboxError, Obstacle) as error:
            grader_log.error("task cannot be graded", task=task.id, reason=str(error))
            raise AgentError(
                f"task {task.id} cannot be graded on this machine; choose another "
                "(who runs the server finds the reason in its grader.log)"
            ) from error

    async def warm(self, task: TaskKey) -> None:
        """Run nothing over the task's layers: then the backend is ready and the layers are in memory."""
        now = anyio.current_time()
        if now - self._warmed.get(task, -WARM_SECONDS) < WARM_SECONDS:
            return
        self._warmed[task] = now
        suite = await self._suite(task)
        environment = suite.environment
        # Whatever compiles tests, their programs run in the small system that commands have by default.
        commands = (Command(IDLE, inputs=environment.layers, system=environment.system), Command(IDLE))
        try:
            for command in commands:
                async with self._limiter:
                    await self._backend.run(command, suite.limits)
        except SandboxError as error:
            # A run that matters will meet the same fault and tell it.
            grader_log.warning("task not warmed", task=task.id, reason=str(error))

    async def snapshot(self, task: TaskKey, folder: Path) -> Submission:
        suite = await self._suite(task)
        language = languages.get(suite.language)

        def take() -> Submission:
            return snapshot(folder, suite.roots, language, suite.reserved, suite.workspace)

        return await anyio.to_thread.run_sync(take)

    async def library(self, task: TaskKey, folder: Path) -> Submission:
        suite = await self._suite(task)
        language = languages.get(suite.language)

        def take() -> Submission:
            return snapshot(folder, suite.roots, language, suite.known, suite.workspace)

        return await anyio.to_thread.run_sync(take)

    async def grade(self, task: TaskKey, handed: Handed) -> Grade:
        job = await self._job(task, handed)
        seconds = self._settings.grading_seconds
        return await grade_supervised(job, self._backend, seconds, self._heldout)

    async def opinions(self, task: TaskKey, handed: Handed, grade: Grade) -> tuple[Opinion, ...]:
        job = await self._job(task, handed)
        if not drawn(job, self._settings.second_opinions):
            return ()
        with anyio.fail_after(self._settings.grading_seconds) as scope:
            return await second_opinions(job, grade, self._backend, Turns(self._heldout, scope))

    async def _job(self, task: TaskKey, handed: Handed) -> GradeJob:
        key = episode_key(self._key, handed.episode)
        suite = await self._suite(task)
        return GradeJob(suite, handed.submission, handed.stage, key, handed.isolation)

    async def own_build(self, task: TaskKey, submission: Submission) -> OwnBuild:
        suite = await self._suite(task)
        async with self._limiter:
            return await build_itself(suite, submission, self._told)

    async def lint(self, task: TaskKey, submission: Submission) -> LintReport:
        suite = await self._suite(task)
        async with self._limiter:
            return await run_lint(suite, submission.files, self._told)

    async def visible(self, task: TaskKey, submission: Submission, tests: tuple[str, ...]) -> VisibleReport:
        suite = await self._suite(task)
        async with self._limiter:
            return await run_visible(suite, submission.files, tests, self._told)

    async def _suite(self, key: TaskKey) -> Suite:
        async with self._loading[key]:
            if key not in self._suites:
                self._suites[key] = await anyio.to_thread.run_sync(self._load, key)
            return self._suites[key]

    def _load(self, key: TaskKey) -> Suite:
        task = self._store.task(key.id)
        if task.view.digest != key.digest:
            raise TaskError(f"task {key.id} has content {task.view.digest} now; expected {key.digest}")
        return suite_of(task, environment_of(task, self._settings))


def episode_key(key: bytes, episode: str) -> bytes:
    """The secret of one episode's gradings.

    Were it the same for all, files that forge results and were paid once, by luck, would be paid whenever
    they are handed in: a policy in training would find them, and keep them.
    """
    return hmac.digest(key, episode.encode(), hashlib.sha256)


def grader_key(path: Path) -> bytes:
    """The secret of this state folder, made once: every choice of the grader comes from it."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ServerError(f"grader key {path}: expected a regular file")
    if not path.exists():
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            # A link, not a rename: of two servers that start at once, the second keeps the first one's key.
            path.hardlink_to(temporary)
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    key = path.read_bytes()
    if len(key) != KEY_BYTES or path.stat().st_mode & 0o077:
        raise ServerError(f"grader key {path}: expected {KEY_BYTES} bytes that only the owner may read")
    return key

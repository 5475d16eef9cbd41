"""A ground: what a campaign is fought over, a task cut to some of its modules."""

import secrets
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from anyio import to_thread

from kaiju_grading import languages
from kaiju_grading.compose import library_tree
from kaiju_grading.files import Files
from kaiju_grading.grade import Grade
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.opinions import second_opinions
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission, snapshot
from kaiju_grading.suite import Suite
from kaiju_sandbox import backends
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.settings import Settings
from kaiju_tasks.attacks.attack import Layout, OnDisk
from kaiju_tasks.suites import environment_of, manifest_of, suite_of
from kaiju_tasks.task import Task

CHEAPEST = 2
"""Modules of a campaign that is not asked for all."""


@dataclass(frozen=True, slots=True)
class Graded:
    """What became of one tree."""

    grade: Grade
    submission: Submission
    opinions: tuple[str, ...]
    """Names of the second opinions that found it suspicious."""

    @property
    def noticed(self) -> tuple[str, ...]:
        """Findings and suspicions."""
        return tuple(dict.fromkeys([*(finding.kind for finding in self.grade.findings), *self.opinions]))


@dataclass(frozen=True, slots=True)
class Ground:
    """A suite, what an attacker knows of it, and where its runs are made."""

    suite: Suite = field(repr=False)
    layout: Layout
    backend: Backend
    opinions: bool = False
    """Whether second opinions are asked on what earns something."""

    @property
    def stub(self) -> Files:
        """The whole tree that an agent starts from."""
        return self.suite.workspace

    @property
    def reference(self) -> Files:
        """The same tree with the upstream library."""
        return library_tree(self.suite, self.suite.reference)

    async def grade(self, tree: Files, on_disk: OnDisk) -> Graded:
        """Grade a tree as the test stage would: read from a folder, with a fresh key."""
        submission = await to_thread.run_sync(self._hand_in, tree, on_disk)
        job = GradeJob(self.suite, submission, Stage.TEST, secrets.token_bytes(32))
        found = await grade(job, self.backend)
        asked = await second_opinions(job, found, self.backend) if self.opinions else ()
        return Graded(found, submission, tuple(one.name for one in asked if one.suspicious))

    def _hand_in(self, tree: Files, on_disk: OnDisk) -> Submission:
        suite = self.suite
        with tempfile.TemporaryDirectory(prefix="kaiju-campaign-") as name:
            folder = Path(name)
            for path, file in tree.items():
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.data)
                target.chmod(0o755 if file.executable else 0o644)
            on_disk(folder, self.layout)
            language = languages.get(suite.language)
            return snapshot(folder, suite.roots, language, suite.reserved, suite.workspace)


async def ground_of(task: Task, settings: Settings, *, full: bool) -> Ground:
    """The ground of a task of the store: its two cheapest modules, or all. Raises TaskError."""
    environment = await to_thread.run_sync(environment_of, task, settings)
    suite = await to_thread.run_sync(suite_of, task, environment)
    layout = Layout(suite.roots, manifest_of(task).kaiju.packages)
    backend = backends.create(settings)
    await backend.sweep()
    return Ground(suite if full else cut(suite, CHEAPEST), layout, backend)


def cut(suite: Suite, count: int) -> Suite:
    """The suite with its `count` cheapest modules, in its own order."""
    cheapest = sorted(suite.modules, key=lambda module: (module.seconds, module.name))[:count]
    return replace(suite, modules=tuple(module for module in suite.modules if module in cheapest))

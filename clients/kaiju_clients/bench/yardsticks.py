"""The commands that a visible run and a grading of the reference make, as native runs."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from kaiju_clients.bench.native import Ground, NativeRun
from kaiju_clients.errors import UsageError
from kaiju_grading import languages
from kaiju_grading.compose import module_tree, visible_tree
from kaiju_grading.files import Files
from kaiju_grading.harness import library_of
from kaiju_grading.language import Compilation, Language, TestRun
from kaiju_grading.plan import Draw, RunPlan, plan_pair
from kaiju_grading.stage import Stage
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.settings import Settings
from kaiju_tasks.errors import TaskError
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of


@dataclass(frozen=True, slots=True)
class Yardsticks:
    """What the server runs for one task, ready to run without it."""

    suite: Suite
    build: NativeRun
    visible: NativeRun
    pairs: tuple[NativeRun, ...]
    """Both runs of every module."""


def reference(settings: Settings, task_id: str) -> Suite:
    """The suite of a task. Raises UsageError for one that cannot be played here."""
    try:
        task = Store(settings.tasks_dir).task(task_id)
        return suite_of(task, environment_of(task, settings))
    except TaskError as error:
        raise UsageError(f"--task: {error}") from error


def lay_out(suite: Suite, folder: Path) -> Yardsticks:
    """Copy the environment and stage every command of the reference below `folder`.

    Raises UsageError for a task whose tests are compiled: what compiles them is no single command.
    """
    ground, files, language = Ground(folder), suite.reference, languages.get(suite.language)
    if _compiled(suite, language):
        raise UsageError(
            f"--task: tests in {language.title} are compiled; expected a task whose tests run from source, "
            "such as python-tally-1.0.0"
        )
    ground.lay(suite.environment.layers)
    build = language.build(library_of(suite, files))
    seen = TestRun(
        visible_tree(suite, files), suite.environment, tuple(sorted(suite.visible)), suite.visible_tests,
        suite.options, messages=True,
    )  # fmt: skip
    draw = Draw(secrets.token_bytes(32), suite.task_digest, "bench", Stage.DRAFT)
    runs = [
        (f"module-{number}-{half}", _module(suite, files, module, plan))
        for number, module in enumerate(suite.modules)
        for half, plan in enumerate(_halves(suite, module, draw))
    ]
    return Yardsticks(
        suite,
        ground.ready(build, "build"),
        ground.ready(language.test(seen), "visible"),
        tuple(ground.ready(language.test(run), name) for name, run in runs),
    )


def _compiled(suite: Suite, language: Language) -> bool:
    """The steps are only asked for, not followed."""
    files = suite.reference
    compilation = Compilation(files, tuple(sorted(files)), {}, suite.environment, suite.options)
    return language.compile(compilation) is not None


def _halves(suite: Suite, module: Module, draw: Draw) -> tuple[RunPlan, RunPlan]:
    pair = plan_pair(suite, module, draw)
    return pair.first, pair.second


def _module(suite: Suite, files: Files, module: Module, plan: RunPlan) -> TestRun:
    work = module_tree(suite, files, module, plan.sites)
    return TestRun(work, suite.environment, module.files, plan.tests, suite.options)

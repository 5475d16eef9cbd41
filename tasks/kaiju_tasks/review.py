"""`kaiju tasks review`: second opinions on what somebody handed in, for people."""

import secrets
from dataclasses import dataclass
from pathlib import Path

import anyio
import click
from anyio import to_thread
from rich.console import Console

from kaiju_grading import languages
from kaiju_grading.grade import Grade
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.opinion import Opinion
from kaiju_grading.opinions import second_opinions
from kaiju_grading.stage import Stage
from kaiju_grading.submission import snapshot
from kaiju_sandbox import backends
from kaiju_sandbox.console import page
from kaiju_sandbox.settings import Settings
from kaiju_tasks.output import as_json, backend_option, opinion_table, print_json, reported, settings_of
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of
from kaiju_tasks.task import Task


@dataclass(frozen=True, slots=True)
class Review:
    """A grade and what else was looked at."""

    grade: Grade
    opinions: tuple[Opinion, ...]


async def review(task: Task, folder: Path, settings: Settings) -> Review:
    """Grade a workspace as the last stage would, then ask. Raises TaskError, SubmissionError."""
    environment = await to_thread.run_sync(environment_of, task, settings)
    suite = await to_thread.run_sync(suite_of, task, environment)
    backend = backends.create(settings)
    await backend.sweep()
    language = languages.get(suite.language)

    def hand_in() -> GradeJob:
        taken = snapshot(folder, suite.roots, language, suite.reserved, suite.workspace)
        return GradeJob(suite, taken, Stage.TEST, secrets.token_bytes(32))

    job = await to_thread.run_sync(hand_in)
    found = await grade(job, backend)
    return Review(found, await second_opinions(job, found, backend))


@click.command("review")
@click.argument("task_id", metavar="ID")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@backend_option
@as_json
@click.pass_context
def review_command(context: click.Context, task_id: str, folder: Path, json_output: bool) -> None:
    """Grade the library in FOLDER, laid out as the workspace was, and ask for second opinions.

    Each says what was tried, what is expected of honest work and what was seen. A suspicion is a reason to
    read the code, and proves nothing: the status is 0 whatever is found.
    """
    with reported(json_output):
        settings = settings_of(context)
        task = Store(settings.tasks_dir).task(task_id)
        with Console(stderr=True).status(task_id):
            found = anyio.run(review, task, folder, settings)
    if json_output:
        opinions = [one.model_dump(mode="json") for one in found.opinions]
        print_json({"grade": found.grade.model_dump(mode="json"), "opinions": opinions})
        return
    earned = f"{found.grade.modules_passed} of {found.grade.modules_total} modules"
    page().print(opinion_table(f"reward {found.grade.reward}: {earned}", found.opinions))

"""`kaiju review`: second opinions on a submission that a server has graded, for people."""

import json
import os
from contextlib import closing

import anyio
import anyio.to_thread
import click

from kaiju_grading.grade import Grade, GradeStatus
from kaiju_grading.opinion import Opinion
from kaiju_sandbox import backends
from kaiju_sandbox.console import page
from kaiju_sandbox.leftovers import Owner
from kaiju_server import log
from kaiju_server.blobs import Blobs
from kaiju_server.database import Database
from kaiju_server.episodes import Episodes
from kaiju_server.errors import ServerError
from kaiju_server.ground import Ground
from kaiju_server.judge import Handed
from kaiju_server.private import private_folder
from kaiju_server.settings import ServerSettings
from kaiju_server.submissions import Submissions
from kaiju_server.suites import SuiteJudge
from kaiju_tasks.output import opinion_table

ALL = 1.0
Reviewed = tuple[Grade, tuple[Opinion, ...]]


@click.command()
@click.argument("run_id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--backend", help="Sandbox backend: namespace or docker.")
@click.option("--state-dir", type=click.Path(), help="Folder of tasks, episodes and verdicts.")
def review(run_id: str, as_json: bool, **flags: object) -> None:
    """Ask for second opinions on the submission of RUN_ID, as a server graded it.

    Nothing is graded again, and nothing is stored: the verdict stands. The status is 0 whatever is found.
    """
    settings = ServerSettings.load(os.environ, second_opinions=ALL, **flags)
    log.configure("ERROR")
    private_folder(settings.store_dir)
    grade, opinions = anyio.run(_reviewed, settings, run_id)
    if as_json:
        click.echo(json.dumps([one.model_dump(mode="json") for one in opinions], indent=2))
        return
    title = f"{run_id}: reward {grade.reward}, {grade.modules_passed} of {grade.modules_total} modules"
    page().print(opinion_table(title, opinions))


async def _reviewed(settings: ServerSettings, run_id: str) -> Reviewed:
    """The stored grade, and new opinions. Raises ServerError."""
    judge = SuiteJudge(settings, backends.create(settings))
    with closing(Database(settings.database_url)) as database:
        await anyio.to_thread.run_sync(database.create)
        asked: list[Reviewed] = []
        async with anyio.create_task_group() as tasks:
            asked.append(
                await _asked(Ground(settings, database, judge, Owner.current().label, tasks), run_id)
            )
    return asked[0]


async def _asked(ground: Ground, run_id: str) -> Reviewed:
    submissions = Submissions(ground, Blobs(ground.settings.blobs_dir, 0))
    submitted = await submissions.of_run(run_id)
    grade = submitted.grade if submitted else None
    if submitted is None or grade is None or grade.status is not GradeStatus.GRADED:
        raise ServerError(f"run {run_id!r}: expected the run of a submission that was graded")
    row = (await Episodes(ground).load(submitted.episode_id)).row
    submission = await anyio.to_thread.run_sync(submissions.load, submitted)
    handed = Handed(row.id, submission, submitted.stage, submitted.isolation)
    return grade, await ground.judge.opinions(row.task, handed, grade)

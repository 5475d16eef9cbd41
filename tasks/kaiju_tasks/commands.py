"""The `kaiju tasks` commands: list, show, survey, prepare, validate, attack, honest, forge, review."""

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kaiju_grading.preparation import Obstacle
from kaiju_sandbox.console import page
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.campaign.commands import attack_command, forge_command, honest_command
from kaiju_tasks.errors import TaskFormatError
from kaiju_tasks.output import (
    as_json,
    backend_option,
    print_json,
    print_record,
    print_table,
    reported,
    settings_of,
)
from kaiju_tasks.prepare.pinning import pinned
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.prepare.survey import SurveyRow, survey
from kaiju_tasks.recipe import Recipe
from kaiju_tasks.review import review_command
from kaiju_tasks.store import Store
from kaiju_tasks.strengths import strengths
from kaiju_tasks.suites import manifest_of
from kaiju_tasks.validate import Effort, TaskProof, validate

RULED = ("pkg:", "path:")
"""What is no recipe: everything is chosen by rule, and the recipe that comes of it is written."""


@click.group()
@click.option("--state-dir", type=click.Path(path_type=Path), help="Folder of the task store and its layers.")
@click.pass_context
def tasks(context: click.Context, state_dir: Path | None) -> None:
    """List, make and prove tasks."""
    context.obj = {"state_dir": state_dir, "backend": None}


tasks.add_command(attack_command)
tasks.add_command(honest_command)
tasks.add_command(forge_command)
tasks.add_command(review_command)


@tasks.command("list")
@as_json
@click.pass_context
def list_tasks(context: click.Context, json_output: bool) -> None:
    """List the tasks of the store, broken folders too."""
    with reported(json_output):
        store = Store(settings_of(context).tasks_dir)
        rows = [
            {
                "id": view.id,
                "language": view.language,
                "modules": view.modules,
                "visible_tests": view.visible_tests,
                "licence": view.licence,
                "digest": view.digest,
            }
            for view in store.views()
        ]
        broken = store.broken()
    if json_output:
        print_json({"tasks": rows, "broken": dict(broken)})
        return
    shown = [{key: value for key, value in row.items() if key != "digest"} for row in rows]
    print_table("tasks", shown, "no task yet; make one with `kaiju tasks prepare RECIPE`")
    for name, reason in broken.items():
        click.echo(f"broken: {name}: {reason}", err=True)


@tasks.command()
@click.argument("task_id", metavar="ID")
@as_json
@click.pass_context
def show(context: click.Context, task_id: str, json_output: bool) -> None:
    """Show what a task is and where it comes from."""
    with reported(json_output):
        task = Store(settings_of(context).tasks_dir).task(task_id)
        content = manifest_of(task).kaiju.model_dump(mode="json", exclude_none=True)
        strength = strengths(task)
    content = {"id": task.view.id, "digest": task.view.digest, **content}
    if json_output:
        measured = {name: [one.model_dump() for one in found] for name, found in strength.items()}
        print_json({**content, "strength": measured})
        return
    told = [f"{name}\n  " + "\n  ".join(map(str, found)) for name, found in strength.items()]
    print_record({**content, "strength": "\n".join(told) or "measured nowhere"})


@tasks.command("survey")
@click.argument("purls", metavar="PURL...", nargs=-1, required=True)
@as_json
@click.pass_context
def survey_command(context: click.Context, purls: tuple[str, ...], json_output: bool) -> None:
    """Look at releases without running them: one row each."""
    rows = []
    with reported(json_output):
        settings = settings_of(context)
        for purl in purls:
            rows.append(_surveyed(purl, settings).model_dump(mode="json"))
    if json_output:
        print_json(rows)
        return
    # What fits beside each other in a terminal. Sentences go below; the runner's command is in the JSON.
    shown = [{key: row[key] for key in row if key not in {"detail", "runner"}} for row in rows]
    print_table("survey", shown, "")
    for row in rows:
        if row["detail"]:
            click.echo(f"{row['purl']}: {row['obstacle']}: {row['detail']}")


def _surveyed(purl: str, settings: Settings) -> SurveyRow:
    try:
        recipe = _ruled(purl)
    except Obstacle as obstacle:
        return SurveyRow(purl=purl, obstacle=obstacle.code, detail=obstacle.detail)
    return anyio.run(survey, recipe, settings)


def _ruled(purl: str) -> Recipe:
    """Raises Obstacle (`bad_purl`)."""
    try:
        return recipes.from_purl(purl)
    except TaskFormatError as error:
        raise Obstacle("bad_purl", str(error)) from error


@tasks.command("prepare")
@click.argument("origin", metavar="RECIPE|PURL")
@click.option(
    "--recipe-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the recipe that makes this task again is written (without a recipe: <state>/recipes).",
)
@backend_option
@as_json
@click.pass_context
def prepare_command(context: click.Context, origin: str, recipe_dir: Path | None, json_output: bool) -> None:
    """Make a task from a shipped recipe, a recipe file, a package URL or `path:FOLDER`."""
    with reported(json_output):
        settings = settings_of(context)
        recipe = _recipe(origin)
        folder = recipe_dir or (settings.state_dir / "recipes" if origin.startswith(RULED) else None)
        if folder is not None:
            # Now, and not after minutes of work.
            folder.mkdir(parents=True, exist_ok=True)
        console = Console(stderr=True)
        with console.status("starting") as status:
            prepared = anyio.run(partial(prepare, recipe, settings, status.update))
        written = recipes.write(pinned(prepared.draft), folder) if folder else None
        view = Store(settings.tasks_dir).view(prepared.path.name)
    draft = prepared.draft
    result = {
        "id": view.id,
        "digest": view.digest,
        "modules": view.modules,
        "modules_by": draft.division.by,
        "tests": sum(len(module.tests) for module in draft.division.modules),
        "altered": sum(len(cell.tests) for cell in draft.kept_cells),
        "visible_tests": view.visible_tests,
        "kept_share": round(draft.stub.kept_share, 4),
        "half": len(draft.half.record.modules),
        "dropped": len(draft.trials.dropped) + len(draft.division.dropped) + len(draft.dropped),
        "recipe": str(written) if written else "",
    }
    print_json(result) if json_output else print_record(result)


@tasks.command("validate")
@click.argument("task_ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--repeats", default=3, show_default=True, type=click.IntRange(1, 100), help="Reference gradings."
)
@click.option(
    "--attacks/--no-attacks",
    default=True,
    show_default=True,
    help="Grade attacks and odd but honest trees on the two cheapest modules.",
)
@click.option("--full", is_flag=True, help="On all modules; shake the reference, grade mutants (minutes).")
@backend_option
@as_json
@click.pass_context
def validate_command(
    context: click.Context,
    /,
    task_ids: tuple[str, ...],
    json_output: bool,
    **effort: Any,  # noqa: ANN401 - click's values, checked by click
) -> None:
    """Prove tasks: the reference earns 1.0 every time, the stub 0.0, nothing leaks."""
    proofs: list[TaskProof] = []
    with reported(json_output):
        settings = settings_of(context)
        store = Store(settings.tasks_dir)
        for task in [store.task(task_id) for task_id in task_ids]:
            with Console(stderr=True).status(task.view.id) as status:
                proofs.append(anyio.run(partial(validate, task, settings, Effort(**effort), status.update)))
    if json_output:
        print_json([{"ok": proof.ok, **proof.model_dump(mode="json")} for proof in proofs])
    else:
        for proof in proofs:
            _print_proof(proof)
    if not all(proof.ok for proof in proofs):
        raise SystemExit(1)


def _recipe(origin: str) -> Recipe:
    if origin.startswith(RULED):
        return _ruled(origin)
    path = Path(origin)
    return recipes.load(path) if path.suffix == ".toml" else recipes.load_shipped(origin)


def _print_proof(proof: TaskProof) -> None:
    table = Table("claim", "holds", "detail", title=f"{proof.task} on {proof.backend}")
    for claim in proof.claims:
        table.add_row(claim.name, "yes" if claim.holds else "NO", Text(claim.detail))
    page().print(table)
    click.echo(f"asked: {proof.asked}")
    if proof.weak:
        click.echo(f"weak: {', '.join(proof.weak)}")

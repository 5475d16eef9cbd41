"""The `kaiju tasks` commands: list, show, survey, prepare, validate."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import anyio
import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kaiju_grading.preparation import Obstacle
from kaiju_sandbox.errors import SandboxError
from kaiju_sandbox.settings import Settings, SettingsError
from kaiju_tasks import recipe as recipes
from kaiju_tasks.errors import TaskError, TaskFormatError
from kaiju_tasks.prepare.pinning import pinned
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.prepare.survey import SurveyRow, survey
from kaiju_tasks.recipe import Recipe
from kaiju_tasks.store import Store
from kaiju_tasks.suites import manifest_of
from kaiju_tasks.validate import Effort, TaskProof, validate

OBSTACLE_STATUS = 3
"""Exit status when a library cannot become a task; 1 is a failed proof or a fault, 2 bad input."""

EXPECTED = (Obstacle, TaskError, SettingsError, SandboxError)
"""What goes wrong without being a fault of the program."""

RULED = ("pkg:", "path:")
"""What is no recipe: everything is chosen by rule, and the recipe that comes of it is written."""

as_json = click.option("--json", "json_output", is_flag=True, help="Print JSON instead of a table.")


def _remember_backend(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.obj["backend"] = value


backend_option = click.option(
    "--backend",
    help="Sandbox backend (default: KAIJU_BACKEND, else namespace).",
    expose_value=False,
    callback=_remember_backend,
)


@click.group()
@click.option("--state-dir", type=click.Path(path_type=Path), help="Folder of the task store and its layers.")
@click.pass_context
def tasks(context: click.Context, state_dir: Path | None) -> None:
    """List, make and prove tasks."""
    context.obj = {"state_dir": state_dir, "backend": None}


@tasks.command("list")
@as_json
@click.pass_context
def list_tasks(context: click.Context, json_output: bool) -> None:
    """List the tasks of the store, broken folders too."""
    with _reported(json_output):
        store = Store(_settings(context).tasks_dir)
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
        _print_json({"tasks": rows, "broken": dict(broken)})
        return
    shown = [{key: value for key, value in row.items() if key != "digest"} for row in rows]
    _print_table("tasks", shown, "no task yet; make one with `kaiju tasks prepare RECIPE`")
    for name, reason in broken.items():
        click.echo(f"broken: {name}: {reason}", err=True)


@tasks.command()
@click.argument("task_id", metavar="ID")
@as_json
@click.pass_context
def show(context: click.Context, task_id: str, json_output: bool) -> None:
    """Show what a task is and where it comes from."""
    with _reported(json_output):
        task = Store(_settings(context).tasks_dir).task(task_id)
        content = manifest_of(task).kaiju.model_dump(mode="json", exclude_none=True)
    content = {"id": task.view.id, "digest": task.view.digest, **content}
    _print_json(content) if json_output else _print_record(content)


@tasks.command("survey")
@click.argument("purls", metavar="PURL...", nargs=-1, required=True)
@as_json
@click.pass_context
def survey_command(context: click.Context, purls: tuple[str, ...], json_output: bool) -> None:
    """Look at releases without running them: one row each."""
    rows = []
    with _reported(json_output):
        settings = _settings(context)
        for purl in purls:
            rows.append(_surveyed(purl, settings).model_dump(mode="json"))
    if json_output:
        _print_json(rows)
        return
    # What fits beside each other in a terminal. Sentences go below; the runner's command is in the JSON.
    shown = [{key: row[key] for key in row if key not in {"detail", "runner"}} for row in rows]
    _print_table("survey", shown, "")
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
    with _reported(json_output):
        settings = _settings(context)
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
    _print_json(result) if json_output else _print_record(result)


@tasks.command("validate")
@click.argument("task_ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--repeats", default=3, show_default=True, type=click.IntRange(1, 100), help="Reference gradings."
)
@click.option("--attacks", is_flag=True, help="Grade every attack of the language too (minutes).")
@backend_option
@as_json
@click.pass_context
def validate_command(
    context: click.Context, task_ids: tuple[str, ...], repeats: int, attacks: bool, json_output: bool
) -> None:
    """Prove tasks: the reference earns 1.0 every time, the stub 0.0, nothing leaks."""
    proofs: list[TaskProof] = []
    effort = Effort(repeats, attacks)
    with _reported(json_output):
        settings = _settings(context)
        store = Store(settings.tasks_dir)
        for task in [store.task(task_id) for task_id in task_ids]:
            with Console(stderr=True).status(task.view.id) as status:
                proofs.append(anyio.run(partial(validate, task, settings, effort, status.update)))
    if json_output:
        _print_json([{"ok": proof.ok, **proof.model_dump(mode="json")} for proof in proofs])
    else:
        for proof in proofs:
            _print_proof(proof)
    if not all(proof.ok for proof in proofs):
        raise SystemExit(1)


def _settings(context: click.Context) -> Settings:
    """Raises SettingsError, also for a state folder that is none."""
    settings = Settings.load(os.environ, **context.obj)
    if settings.state_dir.exists() and not settings.state_dir.is_dir():
        raise SettingsError(f"KAIJU_STATE_DIR: {settings.state_dir} is a file; expected a folder")
    return settings


def _recipe(origin: str) -> Recipe:
    if origin.startswith(RULED):
        return _ruled(origin)
    path = Path(origin)
    return recipes.load(path) if path.suffix == ".toml" else recipes.load_shipped(origin)


@contextmanager
def _reported(json_output: bool) -> Iterator[None]:
    """Turn what is expected to go wrong into one line and an exit status."""
    try:
        yield
    except EXPECTED as error:
        _fail(error, json_output)
    except BaseExceptionGroup as group:
        # Task groups wrap what their tasks raise; the first error is as good as any.
        expected, other = group.split(EXPECTED)
        if expected is None or other is not None:
            raise
        _fail(_first(expected), json_output)


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def _fail(error: BaseException, json_output: bool) -> NoReturn:
    code = error.code if isinstance(error, Obstacle) else type(error).__name__
    detail = error.detail if isinstance(error, Obstacle) else str(error)
    if json_output:
        _print_json({"error": {"code": code, "detail": detail}})
    else:
        click.echo(f"Error: {code}: {detail}", err=True)
    raise SystemExit(_status(error))


def _status(error: BaseException) -> int:
    if isinstance(error, Obstacle):
        return OBSTACLE_STATUS
    return 1 if isinstance(error, SandboxError) else 2


def _print_json(content: Any) -> None:  # noqa: ANN401 - any JSON value
    click.echo(json.dumps(content, indent=2, sort_keys=True))


def _print_table(title: str, rows: list[dict[str, Any]], empty: str) -> None:
    if not rows:
        click.echo(empty)
        return
    table = Table(title=title)
    for name in rows[0]:
        # Names are copied into other commands: they are never shortened.
        table.add_column(name, overflow="fold", no_wrap=name in {"id", "purl"})
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    Console().print(table)


def _print_record(content: dict[str, Any]) -> None:
    table = Table(show_header=False)
    table.add_column()
    table.add_column(overflow="fold")  # digests are compared: they are never shortened
    for key, value in content.items():
        # Text, not str: a licence with brackets is no markup.
        table.add_row(key, Text(value if isinstance(value, str) else json.dumps(value, indent=1)))
    Console().print(table)


def _print_proof(proof: TaskProof) -> None:
    table = Table("claim", "holds", "detail", title=f"{proof.task} on {proof.backend}")
    for claim in proof.claims:
        table.add_row(claim.name, "yes" if claim.holds else "NO", Text(claim.detail))
    Console().print(table)
    if proof.weak:
        click.echo(f"few alterable tests: {', '.join(proof.weak)}")

"""`kaiju tasks attack`, `honest` and `forge`: campaigns over a task of the store."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import anyio
import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kaiju_sandbox.console import page
from kaiju_tasks import attacks, honest
from kaiju_tasks.campaign.attacking import attack
from kaiju_tasks.campaign.forgers import Forger, ForgerRow, simulate
from kaiju_tasks.campaign.ground import Ground, ground_of
from kaiju_tasks.campaign.honesty import play
from kaiju_tasks.campaign.rows import AttackRow, HonestRow
from kaiju_tasks.catalogue import entry
from kaiju_tasks.output import as_json, backend_option, print_json, reported, settings_of
from kaiju_tasks.store import Store
from kaiju_tasks.task import Task

Row = TypeVar("Row", AttackRow, HonestRow, ForgerRow)
Note = Callable[[str], None]

full_option = click.option("--full", is_flag=True, help="Grade all modules, not the two cheapest.")
opinions_option = click.option(
    "--opinions", is_flag=True, help="Ask second opinions on what earns something (further gradings)."
)
only_option = click.option("--only", metavar="NAME", multiple=True, help="Only this one; may be repeated.")


@click.command("attack")
@click.argument("task_id", metavar="ID")
@full_option
@only_option
@click.option(
    "--unaltered", is_flag=True, help="Alter nothing, as if all had been seen through; ask second opinions."
)
@backend_option
@as_json
@click.pass_context
def attack_command(
    context: click.Context,
    task_id: str,
    full: bool,
    only: tuple[str, ...],
    unaltered: bool,
    json_output: bool,
) -> None:
    """Apply every attack of the task's language to its stub and grade it: none may earn more than the stub.

    Beside our reward stands what a careless grader pays, one that believes the exit status of a run in the
    agent's tree. "escaped" tells of lures outside of the sandbox (a file, sockets, a port, a variable) that
    were reached. "noticed" names findings; with --unaltered attacks may be paid, and then it tells what
    second opinions say of them.
    """

    async def run(task: Task, note: Note) -> tuple[AttackRow, ...]:
        chosen = _chosen(attacks.of(task.view.language), "attack", task.view.language, only)
        ground = await _ground(context, task, full)
        return await attack(_unaltered(ground) if unaltered else ground, chosen, note)

    with reported(json_output):
        rows = _played(context, task_id, run)
    if json_output:
        print_json([{**row.model_dump(mode="json"), "stopped": row.stopped} for row in rows])
    else:
        page().print(_attack_table(task_id, rows))
        click.echo(_attack_summary(rows))
    if not all(row.stopped or (unaltered and not row.escaped) for row in rows):
        raise SystemExit(1)


@click.command("honest")
@click.argument("task_id", metavar="ID")
@full_option
@only_option
@opinions_option
@backend_option
@as_json
@click.pass_context
def honest_command(
    context: click.Context, task_id: str, full: bool, only: tuple[str, ...], opinions: bool, json_output: bool
) -> None:
    """Grade odd but honest trees over the task's reference: each must earn what the plain reference earns."""

    async def run(task: Task, note: Note) -> tuple[HonestRow, ...]:
        chosen = _chosen(honest.of(task.view.language), "case", task.view.language, only)
        return await play(replace(await _ground(context, task, full), opinions=opinions), chosen, note)

    with reported(json_output):
        rows = _played(context, task_id, run)
    if json_output:
        print_json([{**row.model_dump(mode="json"), "unharmed": row.unharmed} for row in rows])
    else:
        page().print(_honest_table(task_id, rows))
        hurt = sum(not row.unharmed for row in rows)
        click.echo(f"{_applied(rows)} graded, {hurt} hurt, {sum(bool(row.noticed) for row in rows)} noticed")
    if not all(row.unharmed for row in rows):
        raise SystemExit(1)


@click.command("forge")
@click.argument("task_id", metavar="ID")
@click.option("--draws", default=200, show_default=True, type=click.IntRange(1, 100_000), help="Gradings.")
@as_json
@click.pass_context
def forge_command(context: click.Context, task_id: str, draws: int, json_output: bool) -> None:
    """Simulate forgers against the grader's plan and verdict: the chance to be paid for a module unwritten.

    Each forger decides what every test is seen to do and does not know which are altered: "blind" lets all
    pass, "coin" throws one for a run, "coin per test" one for each test, "tell" knows altered tests by their
    form, for four of five. With a memory, "memory" guesses a whole plan, and "compare" sees which runs expect
    the same. Asked what was computed, all of them give opaque answers, for which they are flipped, or guess
    where none can be opaque. "computed" is the chance that the bits leave "compare".
    """

    async def run(task: Task, note: Note) -> tuple[ForgerRow, ...]:
        return simulate((await _ground(context, task, full=True)).suite, draws, note)

    with reported(json_output):
        rows = _played(context, task_id, run)
    if json_output:
        print_json([row.model_dump(mode="json") for row in rows])
    else:
        page().print(_forger_table(task_id, rows))


def _forger_table(task_id: str, rows: tuple[ForgerRow, ...]) -> Table:
    table = Table(title=task_id)
    for heading in ("module", "tests", "altered", "asked", "runs", "bits", "computed", *Forger):
        table.add_column(heading, justify="left" if heading == "module" else "right")
    for row in rows:
        chances = (f"{row.chances[forger]:.3f}" for forger in Forger)
        counts = (str(count) for count in (row.tests, row.altered, row.asked, row.runs, row.bits))
        table.add_row(row.module, *counts, f"{row.computed:.2g}", *chances)
    return table


def _played(
    context: click.Context, task_id: str, run: Callable[[Task, Note], Awaitable[tuple[Row, ...]]]
) -> tuple[Row, ...]:
    task = Store(settings_of(context).tasks_dir).task(task_id)
    with Console(stderr=True).status(task_id) as status:
        return anyio.run(run, task, lambda text: status.update(f"{task_id}: {text}"))


def _unaltered(ground: Ground) -> Ground:
    return replace(ground, suite=replace(ground.suite, cells=()), opinions=True)


async def _ground(context: click.Context, task: Task, full: bool) -> Ground:
    return await ground_of(task, settings_of(context), full=full)


def _chosen(known: dict[str, Any], kind: str, language: str, only: Sequence[str]) -> Iterable[Any]:
    """Raises UnknownEntry."""
    return [entry(known, kind, language, name) for name in only] if only else known.values()


def _attack_table(task_id: str, rows: tuple[AttackRow, ...]) -> Table:
    table = Table(title=task_id)
    for heading in ("attack", "family", "tries", "naive", "ours", "escaped", "noticed"):
        table.add_column(heading, no_wrap=heading == "attack")
    for row in rows:
        if row.not_applicable:
            table.add_row(row.name, row.family, Text(f"not made: {row.not_applicable}"), "", "", "", "")
            continue
        ours = "none" if row.reward is None else f"{row.reward:g}"
        escaped, noticed = "; ".join(row.escaped) or "no", ", ".join(row.noticed)
        table.add_row(
            row.name, row.family, row.tries, f"{row.naive or 0:g}", ours, escaped, noticed,
            style="" if row.stopped else "red",
        )  # fmt: skip
    return table


def _attack_summary(rows: tuple[AttackRow, ...]) -> str:
    made = [row for row in rows if not row.not_applicable]
    paid = sum((row.naive or 0) > row.base for row in made)
    gained = sum(row.reward is None or row.reward > row.base for row in made)
    return (
        f"{len(made)} graded, {paid} paid by the careless grader, "
        f"{gained} gained, {sum(bool(row.escaped) for row in made)} escaped, "
        f"{sum(bool(row.noticed) for row in made)} noticed"
    )


def _honest_table(task_id: str, rows: tuple[HonestRow, ...]) -> Table:
    table = Table(title=task_id)
    for heading in ("case", "what is odd", "reward", "reference", "files not taken", "noticed"):
        table.add_column(heading, no_wrap=heading == "case")
    for row in rows:
        if row.not_applicable:
            table.add_row(row.name, Text(f"not made: {row.not_applicable}"), "", "", "", "")
            continue
        ours = "none" if row.reward is None else f"{row.reward:g}"
        taken = Text(", ".join(row.not_taken))
        cells = (row.name, row.does, ours, f"{row.base:g}", taken, ", ".join(row.noticed))
        table.add_row(*cells, style="" if row.unharmed else "red")
    return table


def _applied(rows: tuple[HonestRow, ...]) -> int:
    return sum(not row.not_applicable for row in rows)

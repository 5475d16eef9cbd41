"""What the `kaiju tasks` commands share: settings, two options, and how they print and fail."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click
from rich.table import Table
from rich.text import Text

from kaiju_grading.opinion import Opinion
from kaiju_grading.preparation import Obstacle
from kaiju_grading.submission import SubmissionError
from kaiju_sandbox.console import page
from kaiju_sandbox.errors import SandboxError
from kaiju_sandbox.settings import Settings, SettingsError
from kaiju_tasks.catalogue import UnknownEntry
from kaiju_tasks.errors import TaskError

OBSTACLE_STATUS = 3
"""Exit status when a library cannot become a task; 1 is a failed proof or a fault, 2 bad input."""

EXPECTED = (Obstacle, TaskError, SettingsError, SandboxError, SubmissionError, UnknownEntry)
"""What goes wrong without being a fault of the program."""

as_json = click.option("--json", "json_output", is_flag=True, help="Print JSON instead of a table.")


def _remember_backend(context: click.Context, _: click.Parameter, value: str | None) -> None:
    context.obj["backend"] = value


backend_option = click.option(
    "--backend",
    help="Sandbox backend (default: KAIJU_BACKEND, else namespace).",
    expose_value=False,
    callback=_remember_backend,
)


def settings_of(context: click.Context) -> Settings:
    """Raises SettingsError, also for a state folder that is none."""
    settings = Settings.load(os.environ, **context.obj)
    if settings.state_dir.exists() and not settings.state_dir.is_dir():
        raise SettingsError(f"KAIJU_STATE_DIR: {settings.state_dir} is a file; expected a folder")
    return settings


@contextmanager
def reported(json_output: bool) -> Iterator[None]:
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
        print_json({"error": {"code": code, "detail": detail}})
    else:
        click.echo(f"Error: {code}: {detail}", err=True)
    raise SystemExit(_status(error))


def _status(error: BaseException) -> int:
    if isinstance(error, Obstacle):
        return OBSTACLE_STATUS
    return 1 if isinstance(error, SandboxError) else 2


def print_json(content: Any) -> None:  # noqa: ANN401 - any JSON value
    click.echo(json.dumps(content, indent=2, sort_keys=True))


def print_table(title: str, rows: list[dict[str, Any]], empty: str) -> None:
    if not rows:
        click.echo(empty)
        return
    table = Table(title=title)
    for name in rows[0]:
        # Names are copied into other commands: they are never shortened.
        table.add_column(name, overflow="fold", no_wrap=name in {"id", "purl"})
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    page().print(table)


def opinion_table(title: str, opinions: Iterable[Opinion]) -> Table:
    """Second opinions, one a row."""
    table = Table("opinion", "tried", "expected", "seen", "suspicious", title=title)
    for one in opinions:
        told = {True: "YES", False: "no", None: "not told"}[one.suspicious]
        table.add_row(*map(Text, (one.name, one.tried, one.expected, one.seen, told)))
    return table


def print_record(content: dict[str, Any]) -> None:
    table = Table(show_header=False)
    table.add_column()
    table.add_column(overflow="fold")  # digests are compared: they are never shortened
    for key, value in content.items():
        # Text, not str: a licence with brackets is no markup.
        table.add_row(key, Text(value if isinstance(value, str) else json.dumps(value, indent=1)))
    page().print(table)

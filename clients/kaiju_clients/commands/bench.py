"""`kaiju bench`: how fast this installation is, as ratios to yardsticks measured in the same run."""

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from kaiju_clients.bench import episodes, running, writing
from kaiju_clients.bench.http_process import serving
from kaiju_clients.bench.measurement import Measurement, rounded
from kaiju_clients.bench.native import Ground, NativeFailed
from kaiju_clients.bench.walls.report import measured
from kaiju_clients.bench.yardsticks import Yardsticks, lay_out, reference
from kaiju_clients.connection import HttpServer, StdioServer
from kaiju_clients.errors import ClientError, ServerFault
from kaiju_clients.server_command import own_server
from kaiju_sandbox import backends
from kaiju_sandbox.console import page
from kaiju_sandbox.errors import SandboxError
from kaiju_sandbox.settings import Settings, SettingsError

ECHO = (sys.executable, "-m", "kaiju_clients.bench.echo_server")
DOCKER = "docker"
DOCKER_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and how often."""

    settings: Settings
    task_id: str
    environ: dict[str, str]
    calls: int
    runs: int
    episodes: int
    docker: bool


@click.command("bench")
@click.option("--task", "task_id", default="python-tally-1.0.0", show_default=True, help="A prepared task.")
@click.option("--backend", help="Sandbox backend. Default: as KAIJU_BACKEND says.")
@click.option(
    "--calls", default=300, show_default=True, type=click.IntRange(10, 1000), help="write_file calls."
)
@click.option(
    "--runs", default=5, show_default=True, type=click.IntRange(1, 40), help="Test runs, submissions."
)
@click.option("--episodes", default=100, show_default=True, type=click.IntRange(1, 500),
              help="Episodes open at once.")  # fmt: skip
@click.option("--docker/--no-docker", default=True, show_default=True, help="Docker's figures, too.")
@click.option("--walls", is_flag=True, help="Measure the walls between sandboxes, and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def bench(*, as_json: bool, walls: bool, **options: Any) -> None:  # noqa: ANN401 - click's values, checked by click
    """Measure tool calls, test runs, submissions and memory against yardsticks of the same machine.

    The yardsticks: a bare echo tool on the same SDK, and the same commands run without sandboxes.

    With --walls: what one sandbox can tell the next one through what they share, with each wall of the
    namespace backend down and up (--runs times), and what the walls cost (--calls / 10 pairs).
    """
    console = Console(stderr=True)
    try:
        if walls:
            click.echo(
                measured(Settings.load(os.environ), options["runs"], options["calls"] // 10, as_json=as_json)
            )
            return
        plan = _plan(os.environ, **options)
        found = anyio.run(_measure, plan, console)
    except (ClientError, SettingsError, NativeFailed, SandboxError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(_document(plan, found))
    else:
        page().print(_table(plan, found))


def _plan(environ: Mapping[str, str], backend: str | None, **options: Any) -> Plan:  # noqa: ANN401
    settings = Settings.load(environ, backend=backend)
    own = {"KAIJU_BACKEND": settings.backend, "KAIJU_VISIBLE_RUNS": "1000", "KAIJU_DRAFT_CALLS": "10000"}
    return Plan(settings, environ={**environ, **own}, **options)


async def _measure(plan: Plan, console: Console) -> list[Measurement]:
    found = []
    with tempfile.TemporaryDirectory(prefix="kaiju-bench-") as scratch:
        folder = Path(scratch)
        suite = await anyio.to_thread.run_sync(reference, plan.settings, plan.task_id)
        with Ground(folder / "native") as ground:
            sticks = await lay_out(suite, ground)
            async for measurement in _measurements(plan, sticks, folder):
                console.print(f"{measurement.name}: done", highlight=False)
                found.append(measurement)
            try:
                async for measurement in _beside(plan, sticks, folder):
                    console.print(f"{measurement.name}: done", highlight=False)
                    found.append(measurement)
            except ClientError as error:
                console.print(f"no figures of docker: {error}", highlight=False)
    return found


async def _measurements(plan: Plan, sticks: Yardsticks, scratch: Path) -> AsyncIterator[Measurement]:
    ours = _server(plan.environ)
    yield await writing.measure(ours, StdioServer(ECHO), plan.task_id, plan.calls, scratch)
    async with (
        serving([*own_server(), "--no-auth", "--http"], plan.environ, scratch / "http.log") as (url, pid),
        serving(ECHO, plan.environ, scratch / "echo.log") as (echo_url, _),
    ):
        over_http = HttpServer(url)
        yield await writing.measure(over_http, HttpServer(echo_url), plan.task_id, plan.calls, scratch)
        yield await episodes.measure(over_http, pid, plan.task_id, plan.episodes, scratch)
    course = running.Course(ours, plan.task_id, sticks, plan.runs, scratch)
    yield await running.measure_visible(course)
    yield await running.measure_submit(course, plan.settings.slots)
    yield await running.measure_first_submit(course, plan.settings.slots)


async def _beside(plan: Plan, sticks: Yardsticks, scratch: Path) -> AsyncIterator[Measurement]:
    """The same runs in docker, which no target is set for. Raises ClientError where there is no docker."""
    if not plan.docker or plan.settings.backend == DOCKER:
        return
    settings = plan.settings.model_copy(update={"backend": DOCKER})
    wrong = [check for check in await backends.create(settings).check() if check.required and not check.ok]
    if wrong:
        raise ServerFault(f"{wrong[0].name}: {wrong[0].detail}")
    ours = _server({**plan.environ, "KAIJU_BACKEND": DOCKER})
    rounds = min(plan.runs, DOCKER_ROUNDS)
    course = running.Course(ours, plan.task_id, sticks, rounds, scratch, beside=DOCKER)
    yield await running.measure_visible(course)
    yield await running.measure_submit(course, plan.settings.slots)


def _server(environ: Mapping[str, str]) -> StdioServer:
    own = {name: value for name, value in environ.items() if name.startswith("KAIJU_")}
    return StdioServer(tuple(own_server()), own)


def _table(plan: Plan, found: list[Measurement]) -> Table:
    title = f"task {plan.task_id}, backend {plan.settings.backend}, {plan.settings.slots} sandboxes at once"
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for heading in ("what", "ours", "yardstick", "", "ratio", "allowed", ""):
        table.add_column(heading, justify="left" if heading == "what" else "right", no_wrap=True)
    for one in found:
        theirs = "" if one.theirs is None else f"{rounded(one.theirs):g} {one.unit}"
        table.add_row(
            one.name,
            f"{rounded(one.ours):g} {one.unit}",
            theirs,
            one.yardstick,
            "" if one.ratio is None else f"{one.ratio:.2f}",
            _allowed(one),
            {True: "ok", False: "over", None: ""}[one.within],
        )
    return table


def _allowed(one: Measurement) -> str:
    if one.allowed_ratio is not None:
        return f"{one.allowed_ratio:.2f}"
    return "" if one.allowed is None else f"{rounded(one.allowed):g} {one.unit}"


def _document(plan: Plan, found: list[Measurement]) -> str:
    measurements = [{**one.model_dump(), "within": one.within} for one in found]
    head = {"task": plan.task_id, "backend": plan.settings.backend, "slots": plan.settings.slots}
    return json.dumps({**head, "measurements": measurements}, indent=1, allow_nan=False)

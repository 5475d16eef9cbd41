"""`kaiju eval`: play tasks with an agent, over MCP, and add up the rewards."""

import os
import re
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import click

from kaiju_clients import agents
from kaiju_clients.commands.report import print_summary
from kaiju_clients.connection import HttpServer, Server, StdioServer
from kaiju_clients.errors import ClientError, UsageError, first_of
from kaiju_clients.evaluation import Order, evaluate
from kaiju_clients.records import MAX_SAMPLES, Folder
from kaiju_clients.server_command import own_server
from kaiju_clients.trial import Setting


@click.command("eval")
@click.option(
    "--tasks", required=True, metavar="LIST", help="Task ids, globs or lang:NAME,NAME, joined by commas."
)
@click.option("--agent", required=True, metavar="NAME", help=f"{', '.join(agents.names())}; scripted:FILE.")
@click.option(
    "--samples", default=1, show_default=True, type=click.IntRange(1, MAX_SAMPLES), help="Trials a task."
)
@click.option(
    "--concurrency", default=1, show_default=True, type=click.IntRange(1, 256), help="Trials at once."
)
@click.option("--timeout", default=3600, show_default=True, type=click.IntRange(1, 604_800),
              help="Seconds that one trial may take, gradings included.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the records. Default: a new one below kaiju-runs/.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with the batch in --output: play what has no verdict.")
@click.option("--server", metavar="URL|COMMAND",
              help="A running server, or how to start one for each trial. Default: kaiju serve.")  # fmt: skip
@click.option("--state-dir", metavar="FOLDER", type=click.Path(resolve_path=True),
              help="State folder of the servers that it starts. Default: KAIJU_STATE_DIR.")  # fmt: skip
@click.option("--token", envvar="KAIJU_TOKEN", help="Bearer token for a URL. Better given as KAIJU_TOKEN.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def eval_command(*, as_json: bool, **options: Any) -> None:  # noqa: ANN401 - click's values, checked by click
    """Play tasks with an agent, over MCP, and add up the rewards.

    Ends with 0 when every trial has a verdict (and the one that its agent promised), 1 when not, 2 for a
    wrong option, 130 after Ctrl-C. What was played stays; --resume plays the rest.
    """
    try:
        order = _order(**options)
        summary, interrupt = anyio.run(evaluate, order)
    except ClientError as error:
        raise click.UsageError(str(error)) from error
    except BaseExceptionGroup as group:
        # A record that could not be kept stops all workers.
        faults, others = group.split(ClientError)
        if others is not None or faults is None:
            raise
        raise click.UsageError(str(first_of(faults))) from group
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    print_summary(summary, as_json=as_json)
    if interrupt is not None:
        click.echo(f"interrupted; go on with --resume --output {order.folder.path}", err=True)
        raise SystemExit(128 + interrupt)
    raise SystemExit(0 if summary.complete else 1)


def _order(tasks: str, agent: str, state_dir: str | None, **options: Any) -> Order:  # noqa: ANN401
    """Check what click cannot. Raises UsageError."""
    environ = {**os.environ, **({"KAIJU_STATE_DIR": state_dir} if state_dir else {})}
    if options["resume"] and options["output"] is None:
        raise UsageError("--resume needs --output: the folder of the batch to go on with")
    server = _server(options["server"], options["token"], environ)
    return Order(
        setting=Setting(agents.create(agent, environ), server, options["timeout"]),
        tasks=tasks,
        samples=options["samples"],
        concurrency=options["concurrency"],
        folder=Folder(options["output"] or _new_folder(agent)),
        resume=options["resume"],
    )


def _server(text: str | None, token: str | None, environ: Mapping[str, str]) -> Server:
    if text is not None and text.startswith(("http://", "https://")):
        return HttpServer(text, token)
    try:
        command = shlex.split(text) if text is not None else own_server()
    except ValueError as error:
        raise UsageError(f"--server: {text!r}: {error}") from error
    if not command:
        raise UsageError(f"--server: {text!r} is no URL and no command")
    return StdioServer(tuple(command), {k: v for k, v in environ.items() if k.startswith("KAIJU_")})


def _new_folder(agent: str) -> Path:
    name = re.sub(r"[^A-Za-z0-9]+", "-", agent).strip("-")[-40:]
    return Path("kaiju-runs") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{name}"

"""`kaiju serve`: the MCP server, over stdin and stdout or over HTTP."""

import os
import sys
from functools import partial

import anyio
import click

from kaiju_sandbox import backends
from kaiju_server import log
from kaiju_server.app import build
from kaiju_server.http import serve_http
from kaiju_server.private import private_folder
from kaiju_server.service import open_service
from kaiju_server.settings import ServerSettings
from kaiju_server.stdio import serve_stdio
from kaiju_server.suites import SuiteJudge
from kaiju_server.tokens import open_tokens
from kaiju_tasks.store import Store


@click.command()
@click.option(
    "--http", "port", type=click.IntRange(0, 65_535), help="Serve HTTP on this port (0: a free one)."
)
@click.option("--host", help="Address to listen on (with --http).")
@click.option("--backend", help="Sandbox backend: namespace or docker.")
@click.option("--state-dir", type=click.Path(), help="Folder of tasks, episodes and verdicts.")
@click.option("--rewards", type=click.Choice(["stages", "final", "none"]), help="What an agent is told.")
@click.option("--auth/--no-auth", default=None, help="Ask HTTP clients for a bearer token (default: yes).")
def serve(port: int | None, **flags: object) -> None:
    """Serve tasks over MCP: on stdin and stdout, or with --http on a port.

    Every other setting is an environment variable KAIJU_<NAME>; see the documentation of settings.
    """
    if port is None and (flags["host"], flags["auth"]) != (None, None):
        raise click.UsageError("--host and --auth/--no-auth are about HTTP; expected --http PORT beside them")
    settings = ServerSettings.load(os.environ, port=port, **flags)
    log.configure()
    private_folder(settings.store_dir)
    judge = SuiteJudge(settings, backends.create(settings))
    opener = partial(open_service, settings, Store(settings.tasks_dir), judge)
    if port is None:
        anyio.run(serve_stdio, build(opener))
        return
    tokens, made = open_tokens(settings.tokens_path) if settings.auth else (None, False)
    if made:
        print(f"kaiju: made a bearer token, see {settings.tokens_path}", file=sys.stderr, flush=True)  # noqa: T201
    anyio.run(serve_http, build(opener, tokens), settings)

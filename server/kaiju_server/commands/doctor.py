"""`kaiju doctor`: what works here, what does not, and what to do about it."""

import json
import os
from dataclasses import asdict, replace

import anyio
import click

from kaiju_sandbox import backends
from kaiju_sandbox.backend import Check
from kaiju_sandbox.errors import BackendUnavailable
from kaiju_server.checkup import look
from kaiju_server.settings import ServerSettings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--backend", help="Sandbox backend to check: namespace or docker.")
@click.option("--state-dir", type=click.Path(), help="Folder of tasks, episodes and verdicts.")
def doctor(as_json: bool, **flags: object) -> None:
    """Check this machine. The status is 0 when everything that is required works."""
    settings = ServerSettings.load(os.environ, **flags)
    checks = [_tidy(check) for check in (*look(settings), *_backend(settings))]
    works = all(check.ok for check in checks if check.required)
    if as_json:
        click.echo(json.dumps({"ok": works, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        for check in checks:
            click.echo(_line(check))
    raise SystemExit(0 if works else 1)


def _backend(settings: ServerSettings) -> tuple[Check, ...]:
    try:
        return anyio.run(backends.create(settings).check)
    except BackendUnavailable as error:
        return (Check(f"backend {settings.backend}", ok=False, detail=error.reason, remedy=error.remedy),)


def _tidy(check: Check) -> Check:
    return replace(check, remedy="") if check.ok else check


def _line(check: Check) -> str:
    mark = "ok  " if check.ok else "FAIL" if check.required else "note"
    remedy = f"\n       -> {check.remedy}" if check.remedy else ""
    return f"{mark}  {check.name}: {check.detail}{remedy}"

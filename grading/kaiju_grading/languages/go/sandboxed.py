"""Our program in the sandbox: what it is told, what it may use, and what it answers."""

import json
from collections.abc import Mapping
from itertools import islice

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.readers import values
from kaiju_grading.report import Problem
from kaiju_sandbox.command import Command, Scratch, Tree
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import MIB
from kaiju_sandbox.result import Result

SCRATCH = "/kaiju/scratch"
OUT = f"{SCRATCH}/out"
TOOLCHAIN, DEPENDENCIES = "/kaiju/env/go", "/kaiju/env/godeps"
TOOLS, LINT = "/kaiju/env/gotools", "/kaiju/env/golint"
PROGRAM = "kaijugo"
SYSTEM = "python"
"""Sandboxes of Go need nothing of the system: the small one of Python does."""
CHECKS = "SA*,S1*,-SA1019"
"""Of staticcheck: what is wrong or said more simply in any style. Never its moving default."""
_SIZE = 3 * 1024 * MIB
_MAX_MESSAGE = 2000
_MAX_PATH = 20_000
_MAX_PROBLEMS = 500

SETTINGS = {
    "CGO_ENABLED": "0",
    "GO111MODULE": "on",
    "GOENV": "off",
    "GOFLAGS": "",
    "GOPROXY": "off",
    "GOSUMDB": "off",
    "GOTELEMETRY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}
"""Of the go command, wherever it runs offline: nothing of an account or a tree steers it."""

PLAIN = {
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox, private to it
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "TZ": "UTC",
}


def go_command(
    verb: str, order: Mapping[str, object], work: Files, environment: Environment, keep: str | None = None
) -> Command:
    """Our program doing `verb` over `work`, with the go command, its cache and the dependencies in reach."""
    variables = {
        **environment.variables,
        **PLAIN,
        **SETTINGS,
        "GOMODCACHE": f"{DEPENDENCIES}/mod",
        "GOROOT": TOOLCHAIN,
        "KAIJU_CHECKS": CHECKS,
        "KAIJU_MODULE": f"{DEPENDENCIES}/module",
        "KAIJU_STATICCHECK_CACHE": f"{DEPENDENCIES}/staticcheck",
        "KAIJU_STATICCHECK": environment.programs.get("staticcheck", ""),
        "KAIJU_WARM_CACHE": f"{DEPENDENCIES}/cache",
        "PATH": f"{TOOLCHAIN}/bin:/usr/bin:/bin",
    }
    return Command(
        argv=(environment.programs[PROGRAM], verb),
        cwd=WORK,
        env=variables,
        stdin=json.dumps(order, sort_keys=True).encode(),
        inputs=(*environment.layers, Tree(WORK, work)),
        scratch=(Scratch(SCRATCH, _SIZE),),
        keep=keep,
        report=True,
        system=SYSTEM,
    )


def answer(result: Result) -> Mapping[str, object] | None:
    """What our program answered; None when it did not end as it should. It runs no code of the tree."""
    if not result.ok:
        return None
    return values.json_object(result.report)


def unanswered(result: Result) -> str:
    """Why there is no answer."""
    if result.limit is not None:
        return f"limit on {result.limit.name} reached"
    if result.signal is not None:
        return f"ended by signal {result.signal}"
    return f"ended with status {result.exit_code}: {result.stderr[-500:].decode(errors='replace')}"


def problems(found: object, sources: tuple[str, ...], rule: str) -> tuple[Problem, ...]:
    """Those that lie in `sources`, in the compiler's words."""
    known = frozenset(sources)
    own = (entry for entry in values.objects(found) if values.text(entry.get("path"), _MAX_PATH) in known)
    return tuple(_problem(entry, rule) for entry in islice(own, _MAX_PROBLEMS))


def _problem(entry: Mapping[str, object], rule: str) -> Problem:
    return Problem(
        path=values.text(entry.get("path"), _MAX_PATH),
        line=values.count(entry.get("line")),
        column=values.count(entry.get("column")),
        rule=values.printable(entry.get("rule"), _MAX_MESSAGE) or rule,
        message=values.text(entry.get("message"), _MAX_MESSAGE),
        severity=values.printable(entry.get("severity"), _MAX_MESSAGE) or "error",
    )


def words(options: Mapping[str, str], name: str) -> list[str]:
    """An option that holds several words."""
    return options.get(name, "").split()


def patterns(options: Mapping[str, str]) -> list[str]:
    """The packages of the library, as the go command names them."""
    return words(options, "packages") or ["./..."]

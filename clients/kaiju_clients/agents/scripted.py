"""The scripted agent: makes the tool calls that a file lists, in order.

The file is JSON (a list) or TOML (`[[calls]]` tables), told apart by its name. Every call has a `tool`, its
`arguments`, and `fails = true` when the tool must refuse it.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from kaiju_clients.agent import Agent
from kaiju_clients.errors import AgentError, ToolFailed, UsageError
from kaiju_clients.results import STAGES, Lint, Run, Started, VisibleTests
from kaiju_clients.tools import Tools

RUNS: Mapping[str, type[Run]] = {"run_lint": Lint, "run_tests_visible": VisibleTests}


class Call(BaseModel):
    """One line of a script."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = Field(min_length=1)
    arguments: dict[str, Any] = {}
    fails: bool = False


CALLS = TypeAdapter(tuple[Call, ...])


class ScriptedAgent:
    def __init__(self, name: str, calls: tuple[Call, ...]) -> None:
        self.name = name
        self.calls = calls

    async def play(self, tools: Tools, task: Started) -> int | None:
        for number, call in enumerate(self.calls, start=1):
            try:
                await _make(tools, call)
            except ToolFailed as error:
                if not call.fails:
                    raise AgentError(f"call {number}: {error}") from error
                continue
            if call.fails:
                raise AgentError(f"call {number}: {call.tool} was to fail and did not")
        return None


async def _make(tools: Tools, call: Call) -> None:
    if call.tool in RUNS:
        await tools.finished(await tools.ask(RUNS[call.tool], call.tool, **call.arguments))
        return
    for stage in STAGES:
        if (call.tool, call.arguments) == ("submit", {"stage": stage}):
            await tools.submit(stage)
            return
    await tools.call(call.tool, {**call.arguments, "episode_id": tools.episode_id})


def create(argument: str, environ: Mapping[str, str]) -> Agent:
    if not argument:
        raise UsageError("--agent: scripted needs a file, as scripted:FILE")
    path = Path(argument)
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text).get("calls") if path.suffix == ".toml" else json.loads(text)
        calls = CALLS.validate_python(content)
    except OSError as error:
        raise UsageError(f"--agent: {argument}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole file"
        raise UsageError(f"--agent: {argument}: {place}: {first['msg']}; expected a list of calls") from error
    except ValueError as error:  # not UTF-8, JSON or TOML
        raise UsageError(f"--agent: {argument}: {error}") from error
    if not calls:
        raise UsageError(f"--agent: {argument}: no calls; expected one or more")
    return ScriptedAgent(f"scripted:{path.name}", calls)

"""A trial: one episode, played by one agent over one connection of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio
import httpx2
from mcp import Client, MCPError

from kaiju_clients.agent import Agent
from kaiju_clients.connection import Server
from kaiju_clients.errors import AgentError, ServerFault, ToolFailed
from kaiju_clients.records import Outcome, StageRecord, Trial, TrialId
from kaiju_clients.results import STAGES, StageName, Submission
from kaiju_clients.tools import Tools

ABANDON_S = 3.0
CONNECTION_FAULTS = (
    MCPError,
    ServerFault,
    OSError,
    httpx2.HTTPError,
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
)
"""What a connection raises when its server cannot be reached, dies or is silent."""


@dataclass(slots=True)
class Ending:
    """How far a trial came."""

    outcome: Outcome = Outcome.INFRA_ERROR
    detail: str = ""
    expected_modules: int | None = None
    tools: Tools | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same for all trials of a batch."""

    agent: Agent
    server: Server
    timeout_s: int
    """For a whole trial, gradings included."""


async def play(setting: Setting, trial: TrialId, log: Path, scope: anyio.CancelScope) -> Trial | None:
    """Play one trial to its end. Cancelling `scope` abandons the episode; the trial is then None (not run).

    Faults of agent and server end in the record; what it raises is a fault of the client.
    """
    began, started_at = anyio.current_time(), datetime.now(UTC).isoformat(timespec="seconds")
    ending = Ending()
    try:
        async with setting.server.connect(log) as client:
            await _episode(setting, trial, client, scope, ending)
    except CONNECTION_FAULTS as error:
        _connection_lost(ending, error)
    except BaseExceptionGroup as group:
        # A dead server comes as a group, raised by the connection's own tasks.
        faults, others = group.split(CONNECTION_FAULTS)
        if others is not None:
            raise others from None
        _connection_lost(ending, faults or group)
    if ending.outcome is Outcome.NOT_RUN:
        return None
    return Trial(
        id=trial,
        agent=setting.agent.name,
        outcome=ending.outcome,
        stages=_stages(ending.tools),
        detail=ending.detail,
        expected_modules=ending.expected_modules,
        episode_id=ending.tools.episode_id if ending.tools else None,
        started_at=started_at,
        seconds=round(anyio.current_time() - began, 3),
        calls=ending.tools.calls if ending.tools else 0,
    )


async def _episode(
    setting: Setting, trial: TrialId, client: Client, scope: anyio.CancelScope, ending: Ending
) -> None:
    """Play over an open connection; leaves the way it ended in `ending` and no episode open."""
    tools = ending.tools = Tools(client)
    with scope, anyio.move_on_after(setting.timeout_s) as limit:
        await _play(setting.agent, trial, tools, ending)
    if scope.cancelled_caught:
        ending.outcome = Outcome.NOT_RUN
    elif limit.cancelled_caught:
        ending.outcome = Outcome.INFRA_ERROR if tools.waiting else Outcome.AGENT_ERROR
        busy = "the server" if tools.waiting else "the agent"
        ending.detail = f"{setting.timeout_s} s (--timeout) were over while {busy} was busy"
    if tools.episode_id is not None and "test" not in tools.verdicts:
        with anyio.move_on_after(ABANDON_S):
            await _abandon(tools)


async def _play(agent: Agent, trial: TrialId, tools: Tools, ending: Ending) -> None:
    try:
        task = await tools.start_task(trial.task_id)
    except ToolFailed as error:
        ending.outcome, ending.detail = Outcome.INFRA_ERROR, str(error)
        return
    try:
        ending.expected_modules = await agent.play(tools, task)
    except AgentError as error:
        ending.outcome, ending.detail = Outcome.AGENT_ERROR, str(error)
        return
    except ServerFault as error:
        ending.outcome, ending.detail = Outcome.INFRA_ERROR, str(error)
        return
    ending.outcome, ending.detail = _judged(tools.verdicts)


def _judged(verdicts: Mapping[StageName, Submission]) -> tuple[Outcome, str]:
    """The outcome of an episode that the agent has ended by itself."""
    for stage in STAGES:
        verdict = verdicts.get(stage)
        if verdict is None:
            return Outcome.AGENT_ERROR, f"the agent stopped without submitting the {stage} stage"
        if verdict.status not in {"graded", "hidden"}:
            return Outcome.INFRA_ERROR, f"{stage}: {verdict.status}: {verdict.cause or 'no cause given'}"
    return Outcome.GRADED, ""


async def _abandon(tools: Tools) -> None:
    try:
        await tools.abandon()
    except (ToolFailed, ServerFault):
        return  # closed already, or out of reach: the server's own clock ends it


def _connection_lost(ending: Ending, error: BaseException) -> None:
    """Say so, unless the trial had ended before: a connection that breaks then takes nothing back."""
    if ending.outcome is Outcome.INFRA_ERROR and not ending.detail:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        ending.detail = f"no connection to the server: {type(error).__name__}: {error}"


def _stages(tools: Tools | None) -> tuple[StageRecord, ...]:
    verdicts = tools.verdicts if tools else {}
    return tuple(_stage(verdicts[stage]) for stage in STAGES if stage in verdicts)


def _stage(verdict: Submission) -> StageRecord:
    return StageRecord(
        stage=verdict.stage,
        status=verdict.status,
        reward=verdict.reward,
        modules_passed=verdict.modules_passed,
        modules_total=verdict.modules_total,
        isolation=verdict.isolation,
        cause=verdict.cause,
        builds_itself=verdict.builds_itself.outcome if verdict.builds_itself else None,
        not_taken=tuple(f"{file.path}: {file.reason}" for file in verdict.not_taken),
    )

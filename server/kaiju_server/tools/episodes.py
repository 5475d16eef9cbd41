"""Tools that hand in a stage, look at an episode, and give it up."""

import time
from typing import Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from kaiju_grading.stage import Stage
from kaiju_server.episode import Episode
from kaiju_server.results import Abandoned, Budgets, EpisodeResult, RunEntry, SubmitResult, answer
from kaiju_server.rewards import rewards, status_of
from kaiju_server.runs import FINISHED, RUNNING, Kind
from kaiju_server.service import Service
from kaiju_server.tools.arguments import READS, REPLACES, Call, EpisodeId, WaitSeconds, caller, service_of
from kaiju_server.tools.runs import submit_answer, wait

SUBMITS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
RECENT = 20
"""Runs that episode_status lists, the newest last."""


def register(server: MCPServer[Service]) -> None:
    server.tool(title="Submit a stage", annotations=SUBMITS)(submit)
    server.tool(title="Look at the episode", annotations=READS)(episode_status)
    server.tool(title="Give the episode up", annotations=REPLACES)(abandon)


async def submit(
    ctx: Call,
    stage: Annotated[Stage, Field(description="The open stage: 'draft', then 'lint', then 'test'.")],
    wait_s: WaitSeconds = 45,
    episode_id: EpisodeId = None,
) -> Annotated[CallToolResult, SubmitResult]:
    """Hand in the library as it is now for the open stage. The next stage opens at once; grading runs beside
    it. A stage is graded once: the same stage again gives the same verdict."""
    service = service_of(ctx)
    episode, submitted = await service.submit(await caller(ctx), stage, episode_id)
    await wait(ctx, episode, submitted.run_id, wait_s)
    return await submit_answer(service, episode, submitted.run_id)


async def episode_status(ctx: Call, episode_id: EpisodeId = None) -> Annotated[CallToolResult, EpisodeResult]:
    """The open stage, what is left of its budgets, rewards so far and recent runs."""
    service = service_of(ctx)
    episode = await service.episodes.find(await caller(ctx), episode_id)
    submitted = await service.submissions.of(episode.id)
    statuses = {entry.run_id: status_of(service.settings, entry) for entry in submitted}
    runs = [
        RunEntry(
            run_id=run.id,
            kind=run.kind.value,
            stage=run.stage.value,
            status=statuses[run.id] if run.kind is Kind.SUBMIT else FINISHED if run.finished else RUNNING,
        )
        for run in await service.runs.latest(episode, RECENT)
    ]
    result = EpisodeResult(
        episode_id=episode.id,
        task_id=episode.row.task_id,
        state=episode.row.state.value,
        stage=episode.row.shown_stage,
        rewards=rewards(service.settings, submitted),
        submitted=[entry.stage.value for entry in submitted],
        budgets=_budgets(service, episode),
        runs=runs,
    )
    return answer(result, _text(result))


async def abandon(ctx: Call, episode_id: EpisodeId = None) -> Annotated[CallToolResult, Abandoned]:
    """End the episode for good without handing in its open stage. Its files are removed."""
    service = service_of(ctx)
    episode = await service.abandon(await caller(ctx), episode_id)
    result = Abandoned(episode_id=episode.id, state=episode.row.state.value)
    return answer(result, f"episode {episode.id} is {result.state}")


def _budgets(service: Service, episode: Episode) -> Budgets | None:
    if not episode.row.open:
        return None
    left = episode.budget(service.settings, time.time())
    return Budgets(
        seconds_left=left.seconds_left, calls_left=left.calls_left, visible_runs_left=left.visible_runs_left
    )


def _text(result: EpisodeResult) -> str:
    lines = [f"episode {result.episode_id} of {result.task_id}: {result.state}, stage {result.stage}"]
    if result.budgets:
        runs = f", {result.budgets.visible_runs_left} visible test runs" if result.stage == Stage.TEST else ""
        lines.append(
            f"left of this stage: {result.budgets.seconds_left:.0f} seconds, "
            f"{result.budgets.calls_left} calls{runs}"
        )
    lines += [f"reward of stage {stage}: {reward:g}" for stage, reward in result.rewards.items()]
    lines += [f"{run.run_id} ({run.kind}, {run.stage}): {run.status}" for run in result.runs]
    return "\n".join(lines)

"""write_file against a bare echo tool, over the same transport."""

from collections.abc import Sequence
from pathlib import Path

from mcp import Client

from kaiju_clients.bench.measurement import Allowance, Measurement, in_turns
from kaiju_clients.connection import Server
from kaiju_clients.tools import Tools

ALLOWED = Allowance(1.5)
CONTENT = "x = 1  # a line of forty characters......\n" * 25
WARM_UP = 20
FILE = "bench.txt"


async def measure(ours: Server, echo: Server, task_id: str, rounds: int, logs: Path) -> Measurement:
    """Write a file of 1 KB `rounds` times, in turns with an echo of the same text."""
    async with ours.connect(logs / "kaiju.log") as client, echo.connect(logs / "echo.log") as bare:
        tools = Tools(client)
        started = await tools.start_task(task_id)
        path = written_file(started.roots)

        async def write() -> None:
            await tools.write_file(path, CONTENT)

        async def answer() -> None:
            await _echo(bare)

        await in_turns(write, answer, WARM_UP)
        pairs = await in_turns(write, answer, rounds)
        await tools.abandon()
    return Measurement.of(f"write_file over {ours.kind}", "echo tool", pairs, ALLOWED, "ms")


def written_file(roots: Sequence[str]) -> str:
    """A path in the library of a task."""
    return FILE if "." in roots else f"{roots[0]}/{FILE}"


async def _echo(client: Client) -> None:
    await client.call_tool("echo", {"text": CONTENT})

"""Memory of a server with many open episodes."""

from pathlib import Path

from kaiju_clients.bench.measurement import Measurement
from kaiju_clients.bench.writing import written_file
from kaiju_clients.connection import Server
from kaiju_clients.tools import Tools

ALLOWED_MB = 2.0
WARM_UP = 5
MB = 1024 * 1024


async def measure(server: Server, pid: int, task_id: str, count: int, logs: Path) -> Measurement:
    """Open `count` episodes, use each, and see what the server process has grown by, for each of them."""
    async with server.connect(logs / "kaiju.log") as client:
        opened = [await _open(Tools(client), task_id) for _ in range(WARM_UP)]
        before = resident_bytes(pid)
        opened += [await _open(Tools(client), task_id) for _ in range(count)]
        grown = resident_bytes(pid) - before
        for tools in opened:
            await tools.episode_status()
            await tools.abandon()
    return Measurement(
        name=f"{count} open episodes, memory of each",
        unit="MB",
        yardstick="",
        ours=max(grown, 0) / count / MB,
        allowed=ALLOWED_MB,
        rounds=count,
    )


async def _open(tools: Tools, task_id: str) -> Tools:
    started = await tools.start_task(task_id)
    await tools.write_file(written_file(started.roots), "x")
    await tools.list_files()
    return tools


def resident_bytes(pid: int) -> int:
    """Resident memory of a process, from /proc."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0

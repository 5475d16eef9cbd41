"""What `kaiju bench --walls` prints: a table of channels and one of costs, or the same as JSON."""

import json
from functools import partial

import anyio
import anyio.to_thread
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from kaiju_clients.bench.measurement import Measurement, rounded
from kaiju_clients.bench.walls.channels import CHANNELS
from kaiju_clients.bench.walls.cost import costs
from kaiju_clients.bench.walls.probing import Carried, Probe, places, probe
from kaiju_clients.display import NONE
from kaiju_sandbox import interpreter
from kaiju_sandbox.console import page
from kaiju_sandbox.settings import Settings


def measured(settings: Settings, rounds: int, pairs: int, *, as_json: bool) -> str:
    """Measure everything. Raises SandboxError."""
    probes, measurements = anyio.run(partial(_measure, settings, rounds, pairs))
    if as_json:
        document = {
            "channels": [one.model_dump() for one in probes],
            "costs": [one.model_dump() for one in measurements],
        }
        return json.dumps(document, indent=1, allow_nan=False)
    console = page()
    with console.capture() as shown:
        console.print(_channels(probes))
        console.print(_costs(measurements))
    return shown.get().rstrip()


async def _measure(settings: Settings, rounds: int, pairs: int) -> tuple[list[Probe], list[Measurement]]:
    python = await anyio.to_thread.run_sync(interpreter.locate, settings)
    console = Console(stderr=True)
    probes = []
    with places(settings, python) as place:
        for channel in CHANNELS:
            probes.append(await probe(place, channel, rounds))
            console.print(f"{channel.name}: done", highlight=False)
        return probes, await costs(place, pairs)


def _channels(probes: list[Probe]) -> Table:
    table = Table(
        box=SIMPLE_HEAD, title="bits from one sandbox to the next", title_justify="left", pad_edge=False
    )
    for heading in ("channel", "wall", "wall down", "bits/s", "wall up", "bits/s"):
        table.add_column(heading, justify="left" if heading in {"channel", "wall"} else "right", no_wrap=True)
    for one in probes:
        table.add_row(one.channel, one.wall, *_half(one.without), *_half(one.with_it))
    return table


def _half(carried: Carried | None) -> tuple[str, str]:
    if carried is None:
        return NONE, NONE
    return f"{carried.right} of {carried.bits}", f"{rounded(carried.rate):g}"


def _costs(found: list[Measurement]) -> Table:
    title = "a small command with a wall up, against the same with it down"
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for heading in ("wall", "up", "down", "ratio"):
        table.add_column(heading, justify="left" if heading == "wall" else "right", no_wrap=True)
    for one in found:
        table.add_row(one.name, f"{one.ours:.0f} ms", f"{one.theirs or 0:.0f} ms", f"{one.ratio or 0:.2f}")
    return table

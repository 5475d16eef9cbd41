"""Runs in a sandbox: `leave` marks for bits, `look`, or `find` the bits.

`leave` does for every 1 what another sandbox may notice, `look` prints what is noticed, and `find` reads on
its input what was printed before, and prints the bits.
"""

import json
import sys
from collections.abc import Callable

from kaiju_clients.bench.walls.marks.channel import Channel
from kaiju_clients.bench.walls.marks.counters import Cookies, Handles, Packets, Pipes, Processes
from kaiju_clients.bench.walls.marks.files import Asked, Locks, Names, Timed, Times
from kaiju_clients.bench.walls.marks.mapped import Caches, HugePages
from kaiju_clients.bench.walls.marks.ports import Ports

CHANNELS: dict[str, Callable[[int], Channel]] = {
    kind.__name__.lower(): kind
    for kind in (
        *(Ports, Asked, Timed, Names, HugePages, Locks, Times, Caches),
        *(Cookies, Pipes, Handles, Processes, Packets),
    )
}


def main() -> None:
    name, verb, bits = sys.argv[1:]
    channel = CHANNELS[name](len(bits))
    if verb == "leave":
        channel.leave([int(bit) for bit in bits])
    elif verb == "look":
        print(json.dumps(channel.look()))
    else:
        before = json.load(sys.stdin)
        print("".join(map(str, channel.find(before, channel.look()))))

"""The channels between sandboxes that are tried, and the wall that stands in each."""

from dataclasses import dataclass
from enum import Enum

from kaiju_sandbox.namespace.walls import Walls


class Wall(Enum):
    """What is taken down to see what it keeps out; the value names it in the table."""

    NONE = "none"
    CALLS = "refused system calls"
    COUNTERS = "counters that stand still"
    WARMTH = "files kept in memory"
    LAYERS = "layers in a tmpfs"
    TURNS = "never side by side"

    @property
    def down(self) -> Walls:
        """All but this one."""
        return Walls(
            calls=self is not Wall.CALLS,
            counters=self is not Wall.COUNTERS,
            warmth=self is not Wall.WARMTH,
        )


@dataclass(frozen=True, slots=True)
class Channel:
    """`program` names it in the programs of `marks`."""

    name: str
    program: str
    wall: Wall
    bits: int
    looks_before: bool = False
    """Whether the reader looks before the writer leaves marks; where looking leaves marks, it does not."""
    on_disk: bool = False
    """Whether the shared files lie on a disk with all walls up."""
    down: Wall | None = None
    """A second wall that is down in both runs: the channel would not be there with it."""


CHANNELS = (
    Channel("ports that the kernel chose", "ports", Wall.NONE, 256, looks_before=True),
    Channel("huge pages of shared files", "hugepages", Wall.CALLS, 12),
    Channel("pages in memory, asked for", "asked", Wall.CALLS, 64, on_disk=True, down=Wall.WARMTH),
    Channel("pages in memory, by time", "timed", Wall.WARMTH, 64, on_disk=True),
    Channel("names that do not exist, by time", "names", Wall.LAYERS, 256),
    Channel("locks on shared files", "locks", Wall.TURNS, 64),
    Channel("processes started, /proc/stat", "processes", Wall.COUNTERS, 4, looks_before=True),
    Channel("processes started, number of a handle", "handles", Wall.CALLS, 4, looks_before=True),
    Channel("sockets made, their cookies", "cookies", Wall.CALLS, 4, looks_before=True),
    Channel("packets, /proc/net/softnet_stat", "packets", Wall.NONE, 4, looks_before=True),
    Channel("pipes made, their numbers", "pipes", Wall.NONE, 4, looks_before=True),
    Channel("times of access", "times", Wall.NONE, 64, looks_before=True, on_disk=True),
    Channel("caches of the processor", "caches", Wall.NONE, 16),
)

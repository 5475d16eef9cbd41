"""The kernel's choice of a port."""

import socket

from kaiju_clients.bench.walls.marks.channel import Channel, Numbers

FIRST_PORT, KNOCKS, LARGEST_STEP = 2000, 12, 16
"""The kernel moves on by at most 16 for one connection."""


class Ports(Channel):
    """Where the kernel's choice of a port for connections to one port has come to.

    It goes on from there for ten seconds, then it is shuffled: a machine too slow for that hears noise.
    """

    def mark(self, place: int) -> None:
        self.knock(place, KNOCKS)

    def look(self) -> Numbers:
        return [self.knock(place, 1) for place in range(self.count)]

    def find(self, before: Numbers, now: Numbers) -> Numbers:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
            first, last = map(int, file.read().split())
        size = (last - first + 1) & ~1
        return [int((new - old) % size > LARGEST_STEP) for old, new in zip(before, now, strict=True)]

    @staticmethod
    def knock(place: int, times: int) -> int:
        with socket.socket() as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(("127.0.0.1", FIRST_PORT + place))
            door.listen(KNOCKS)
            for _ in range(times):
                with socket.create_connection(("127.0.0.1", FIRST_PORT + place)) as caller:
                    chosen: int = caller.getsockname()[1]
                    door.accept()[0].close()
        return chosen

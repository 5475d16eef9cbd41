"""Numbers of the whole machine that only grow."""

import os
import socket
from collections.abc import Sequence

from kaiju_clients.bench.walls.marks.channel import Channel, Numbers

STEPS = 16
"""Amounts that a counter tells apart."""
SOL_SOCKET, SO_COOKIE = 1, 57


class Counter(Channel):
    """One number of the whole machine, raised by one of a few amounts: four bits."""

    unit = 1

    def leave(self, bits: Sequence[int]) -> None:
        for _ in range(self.unit * int("".join(map(str, bits)), 2)):
            self.raise_it()

    def raise_it(self) -> None:
        """By one."""

    def find(self, before: Numbers, now: Numbers) -> Numbers:
        steps = round((now[0] - before[0]) / self.unit) % STEPS
        return [int(digit) for digit in f"{steps:0{self.count}b}"]


class Cookies(Counter):
    """Sockets since the machine started: handed out to processors by 4,096."""

    unit = 4 * 4096

    def raise_it(self) -> None:
        self.look()

    def look(self) -> Numbers:
        with socket.socket(socket.AF_UNIX) as one:
            return [int.from_bytes(one.getsockopt(SOL_SOCKET, SO_COOKIE, 8), "little")]


class Pipes(Counter):
    """Nameless files since the machine started: handed out to processors by 1,024."""

    unit = 8 * 1024

    def raise_it(self) -> None:
        for end in os.pipe():
            os.close(end)

    def look(self) -> Numbers:
        """The number that a processor has just been given: until it jumps, it is an old one."""
        last = number = 0
        for _ in range(1100):
            ends = os.pipe()
            last, number = number, os.fstat(ends[0]).st_ino
            for end in ends:
                os.close(end)
            if last and abs(number - last) > 1:
                break
        return [number]


class Handles(Counter):
    """Processes since the machine started."""

    unit = 60

    def raise_it(self) -> None:
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)

    def look(self) -> Numbers:
        return [os.fstat(os.pidfd_open(os.getpid())).st_ino]


class Processes(Handles):
    """The same, as /proc says it."""

    def look(self) -> Numbers:
        with open("/proc/stat", encoding="ascii") as file:
            return [int(line.split()[1]) for line in file if line.startswith("processes ")]


class Packets(Counter):
    """Packets that the processors took since the machine started."""

    unit = 4000

    def leave(self, bits: Sequence[int]) -> None:
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            for _ in range(self.unit * int("".join(map(str, bits)), 2)):
                sender.sendto(b"", ("127.0.0.1", 9))

    def look(self) -> Numbers:
        with open("/proc/net/softnet_stat", encoding="ascii") as file:
            return [sum(int(line.split()[0], 16) for line in file)]

    def find(self, before: Numbers, now: Numbers) -> Numbers:
        # Each is answered: nobody listens there.
        return super().find(before, [before[0] + (now[0] - before[0]) // 2])

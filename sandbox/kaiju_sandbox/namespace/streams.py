"""The streams of one run: what comes out of its pipes, within their limits."""

import os
from collections.abc import Callable

import anyio
from anyio.abc import TaskGroup

from kaiju_sandbox.capture import Capture, drain
from kaiju_sandbox.limits import LimitName, Limits
from kaiju_sandbox.result import LimitHit

FLOOD = 16
"""How many times the output limit may be written before the command is ended."""


class Streams:
    """`stop` is called with the limit that ends the command; reading goes on to the last writer's end."""

    def __init__(self, limits: Limits, stop: Callable[[LimitHit], None]) -> None:
        self.stdout = Capture(limits.output)
        self.stderr = Capture(limits.output)
        self.report = bytearray()
        self.report_size = 0
        self._limits = limits
        self._stop = stop
        self._readers: list[int] = []
        self._hurry = anyio.Event()

    def open(self, *, report: bool) -> list[int]:
        """New pipes; returns the ends for the command: stdout, stderr and, if asked for, the report's."""
        writers = []
        for _ in range(3 if report else 2):
            reader, writer = os.pipe2(os.O_CLOEXEC)
            os.set_blocking(reader, False)
            self._readers.append(reader)
            writers.append(writer)
        return writers

    def start_reading(self, tasks: TaskGroup) -> None:
        takers = (self._take_output(self.stdout), self._take_output(self.stderr), self._take_report)
        for reader, take in zip(self._readers, takers, strict=False):
            tasks.start_soon(drain, reader, take, self._hurry)

    def hurry(self) -> None:
        """The command has ended: what it wrote is all there is."""
        self._hurry.set()

    async def ended(self) -> None:
        """Wait until nobody can write any more; what still comes is dropped."""
        for reader in self._readers:
            await drain(reader, lambda chunk: None, self._hurry)

    def close(self) -> None:
        for reader in self._readers:
            os.close(reader)
        self._readers = []

    def cut(self) -> LimitHit | None:
        """The output limit, when not everything was kept."""
        size = max(self.stdout.size, self.stderr.size)
        return LimitHit(LimitName.OUTPUT, self._limits.output, size) if size > self._limits.output else None

    def _take_output(self, capture: Capture) -> Callable[[bytes], None]:
        def take(chunk: bytes) -> None:
            capture.add(chunk)
            if capture.size > FLOOD * self._limits.output:
                self._stop(LimitHit(LimitName.OUTPUT, self._limits.output, capture.size))

        return take

    def _take_report(self, chunk: bytes) -> None:
        self.report_size += len(chunk)
        self.report += chunk[: self._limits.report - len(self.report)]
        if self.report_size > self._limits.report:
            self._stop(LimitHit(LimitName.REPORT, self._limits.report, self.report_size))

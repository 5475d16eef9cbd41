"""Following one command in its container: what it writes, what it uses, when it has to be ended."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio

from kaiju_sandbox.capture import Capture
from kaiju_sandbox.docker.channel import Channel
from kaiju_sandbox.errors import SandboxError
from kaiju_sandbox.limits import LimitName, Limits
from kaiju_sandbox.result import LimitHit

FLOOD = 16
"""More than this many times `Limits.output` ends the command."""
GRACE = 3.0
"""Seconds that the first process has to end the rest and tell; after that the engine kills it."""
LAST_WORDS = 30.0
"""Seconds from the end of the command to the end of the container: the kept folder comes in between."""


class Run:
    """One command, from `go` to the end of its container."""

    def __init__(self, channel: Channel, limits: Limits, kill: Callable[[], Awaitable[None]]) -> None:
        self.channel = channel
        self.limits = limits
        self.streams = {
            "stdout": Capture(limits.output),
            "stderr": Capture(limits.output),
            "report": Capture(2 * limits.report),  # the first half is what counts
            "keep": Capture(limits.keep),
        }
        self.hit: LimitHit | None = None
        self.usage: Mapping[str, Any] = {}
        """The latest sample; with "exit" in it, the command's own end."""
        self.wall = 0.0
        self._kill = kill
        self._started = time.monotonic()
        self._messages = channel.messages()
        self._stop = anyio.Event()
        self._gone = anyio.Event()

    @property
    def told(self) -> bool:
        """The first process lived long enough to tell how the command ended."""
        return "exit" in self.usage

    @property
    def unstarted(self) -> str | None:
        """Why the system did not start the command, as the name of an errno; None when it did."""
        return self.usage.get("unstarted")

    @property
    def silent(self) -> bool:
        """The first process is gone, nobody here ended it, and it told nothing."""
        return not self.told and self.unstarted is None and self.hit is None

    async def ready(self) -> bool:
        """The first process has opened its pipes; False when it ended instead."""
        async for message in self._messages:
            return "ready" in message
        return False

    async def follow(self, outputs: tuple[str, ...]) -> None:
        """Until every process of the container is dead. Raises what `kill` raises."""
        self._started = time.monotonic()
        self.channel.order("go")
        async with anyio.create_task_group() as tasks:
            for name in outputs:
                tasks.start_soon(self._drain, name)
            tasks.start_soon(self._listen)
            with anyio.move_on_after(self.limits.wall) as clock:
                await self._stop.wait()
            if clock.cancelled_caught:
                self.fire(LimitName.WALL, self.limits.wall, time.monotonic() - self._started)
            failure = await self._end()
            if failure is not None:
                tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _end(self) -> SandboxError | None:
        """The command ended or has to: see that the container does. The answer is why that is not certain."""
        if not self.told:
            self.channel.order("end")
            with anyio.move_on_after(GRACE):
                await self._gone.wait()
        if self.told:
            with anyio.move_on_after(LAST_WORDS):
                await self._gone.wait()
        if self._gone.is_set():
            return None
        try:
            await self._kill()
        except SandboxError as error:
            return error
        return None

    async def _drain(self, name: str) -> None:
        stream = self.streams[name]
        limit, setting, ceiling = self._ceiling(name)

        def take(chunk: bytes) -> None:
            stream.add(chunk)
            if stream.size > ceiling:
                self.fire(limit, setting, stream.size)

        await self.channel.drain(name, take)

    def _ceiling(self, name: str) -> tuple[LimitName, int, int]:
        """The limit of one pipe, its setting, and how many bytes end the command."""
        if name == "report":
            return LimitName.REPORT, self.limits.report, self.limits.report
        if name == "keep":
            return LimitName.KEEP, self.limits.keep, self.limits.keep
        return LimitName.OUTPUT, self.limits.output, self.limits.output * FLOOD

    async def _listen(self) -> None:
        async for message in self._messages:
            self.usage = message
            if self.told and not self.wall:
                self.wall = time.monotonic() - self._started
                self._stop.set()
            self._compare(message)
        self.wall = self.wall or time.monotonic() - self._started
        self._gone.set()
        self._stop.set()

    def _compare(self, usage: Mapping[str, Any]) -> None:
        """The limits that are looked at, and those whose breach the kernel counts."""
        limits = self.limits
        if usage.get("oom"):
            self.fire(LimitName.MEMORY, limits.memory, max(limits.memory, usage["memory"]))
        if usage.get("refused"):
            self.fire(LimitName.PROCESSES, limits.processes, limits.processes + 1)
        if usage.get("cpu", 0) > limits.cpu:
            self.fire(LimitName.CPU, limits.cpu, usage["cpu"])
        if usage.get("files", 0) > limits.files:
            self.fire(LimitName.FILES, limits.files, usage["files"])
        if usage.get("kept", 0) > limits.keep:
            self.fire(LimitName.KEEP, limits.keep, usage["kept"])

    def fire(self, name: LimitName, setting: float, measured: float) -> None:
        """The first limit counts."""
        if self.hit is None:
            self.hit = LimitHit(name, setting, measured)
        self._stop.set()

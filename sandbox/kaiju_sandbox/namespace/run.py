"""One run: bubblewrap started, watched from its gate to the last process, and turned into a result."""

import os
import signal
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import anyio
import anyio.to_thread

from kaiju_sandbox.command import Command
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.limits import Enforcement, LimitName, Limits
from kaiju_sandbox.namespace import launch, seccomp
from kaiju_sandbox.namespace.bubblewrap import Bubblewrap, arguments
from kaiju_sandbox.namespace.handles import Handles
from kaiju_sandbox.namespace.meter import Meter
from kaiju_sandbox.namespace.scratch import Kept
from kaiju_sandbox.namespace.streams import Streams
from kaiju_sandbox.placement import holder, scratch_sizes
from kaiju_sandbox.result import LimitHit, Result

SETUP_SECONDS = 60.0
EXIT_SECONDS = 5.0
"""How long bubblewrap may take to pass on an exit status before it is killed."""
FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.05
SIGNAL_BASE = 128
POLLED = {LimitName.CPU, LimitName.MEMORY, LimitName.FILES}
ENFORCEMENT = {name: Enforcement.POLLED if name in POLLED else Enforcement.HARD for name in LimitName}
SIGNAL_LIMITS = {signal.SIGXFSZ: LimitName.FILE_SIZE, signal.SIGXCPU: LimitName.CPU}


class Run:
    """Use once."""

    def __init__(self, command: Command, limits: Limits) -> None:
        self._command = command
        self._limits = limits
        self._streams = Streams(limits, self._stop)
        self._hit: LimitHit | None = None
        self._handles: Handles | None = None
        self._meter: Meter | None = None
        self._child = self._child_status = -1
        self._child_cpu = self._wall = 0.0
        self._gave_up = False

    async def execute(self, bubblewrap: Bubblewrap, uid: int | None, staged: Mapping[str, Path]) -> Result:
        """Raises SandboxFault when the command did not start or its end could not be seen."""
        with ExitStack() as stack:
            gate = launch.Gate()
            stack.callback(gate.close)
            stack.callback(self._streams.close)
            self._start(bubblewrap, launch.drop_to(uid), staged, gate)
            child = await self._hold(gate)
            stack.callback(os.close, child)
            stack.callback(self._release)
            try:
                async with anyio.create_task_group() as reading:
                    self._streams.start_reading(reading)
                    await self._follow(gate, child)
            finally:
                with anyio.CancelScope(shield=True):
                    await self._end(gate, child)
            return await self._result()

    def _start(
        self, bubblewrap: Bubblewrap, prefix: list[str], staged: Mapping[str, Path], gate: launch.Gate
    ) -> None:
        """The child's descriptors are closed here as soon as it has its own."""
        with ExitStack() as stack:

            def owned(descriptor: int) -> int:
                stack.callback(os.close, descriptor)
                return descriptor

            text = "\0".join(arguments(bubblewrap, self._command, staged, self._limits))
            outputs = [owned(writer) for writer in self._streams.open(report=self._command.report)]
            descriptors = dict(enumerate([owned(self._stdin()), *outputs[:2], gate.inside.fileno()]))
            descriptors[launch.ARGUMENTS] = owned(launch.memory_file(text.encode() + b"\0"))
            argv = [*prefix, str(bubblewrap.program), "--args", str(launch.ARGUMENTS)]
            program = seccomp.program(marks=not bubblewrap.walls.calls)
            if program is not None:
                descriptors[launch.FILTER] = owned(launch.memory_file(program))
                argv += ["--seccomp", str(launch.FILTER)]
            if self._command.report:
                descriptors[launch.REPORT] = outputs[2]
            argv += ["--", *launch.inner_command(self._command, self._limits)]
            self._child = launch.spawn(argv, descriptors)
        gate.inside.close()

    async def _hold(self, gate: launch.Gate) -> int:
        """A descriptor of bubblewrap. Raises OSError when the host has none left; then bubblewrap is gone."""
        try:
            return os.pidfd_open(self._child)
        except OSError:
            with anyio.CancelScope(shield=True):
                await self._dismiss(gate)
            raise

    async def _dismiss(self, gate: launch.Gate) -> None:
        """Turn it away and reap it by its process id, which is ours until then."""
        gate.shut()
        patience = time.monotonic() + EXIT_SECONDS
        while os.waitpid(self._child, os.WNOHANG) == (0, 0):  # noqa: ASYNC222 - does not wait
            if time.monotonic() >= patience:
                os.kill(self._child, signal.SIGKILL)
            await anyio.sleep(LONGEST_PAUSE)

    def _stdin(self) -> int:
        if self._command.stdin is None:
            return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return launch.filled_pipe(self._command.stdin)
        except OSError:  # more than a pipe holds here: a file can be read again, by whoever finds it
            return launch.memory_file(self._command.stdin)

    async def _follow(self, gate: launch.Gate, child: int) -> None:
        """Let the command run until it ends or is stopped, then wait for bubblewrap."""
        pid = None
        with anyio.move_on_after(SETUP_SECONDS):
            pid = await gate.arrival()
        if pid is not None:
            with suppress(OSError):  # killed from outside while it waited: no handles, a fault
                self._handles = Handles(pid, scratch_sizes(self._command, self._limits))
        if self._handles is None:
            await self._turn_away(gate, child)
            return
        self._meter = Meter(self._handles, self._limits)
        started = time.monotonic()
        gate.open()
        async with anyio.create_task_group() as watching:
            watching.start_soon(self._watch, self._meter, started)
            await self._handles.command_ended()
            watching.cancel_scope.cancel()
        self._wall = time.monotonic() - started
        # Its children still live until it is killed: what they pass now counts.
        self._hit = self._hit or self._meter.look()
        with anyio.move_on_after(EXIT_SECONDS):
            await anyio.wait_readable(child)
        self._handles.kill()
        self._streams.hurry()

    async def _watch(self, meter: Meter, started: float) -> None:
        pause = FIRST_PAUSE
        while True:
            elapsed = time.monotonic() - started
            if elapsed >= self._limits.wall:
                if self._handles is not None and self._handles.has_ended():
                    return  # in time perhaps: it was us who looked late
                self._stop(LimitHit(LimitName.WALL, self._limits.wall, elapsed))
                return
            hit = meter.look()
            if hit is not None:
                self._stop(hit)
                return
            self._hit = self._hit or meter.full()
            await anyio.sleep(min(pause, self._limits.wall - elapsed))
            pause = min(pause * 2, LONGEST_PAUSE)

    def _stop(self, hit: LimitHit) -> None:
        self._hit = self._hit or hit
        if self._handles is not None:
            self._handles.kill()

    async def _turn_away(self, gate: launch.Gate, child: int) -> None:
        """With its gate shut a sandbox that is still being set up goes away by itself, and leaves nothing."""
        gate.shut()
        with anyio.move_on_after(EXIT_SECONDS) as patience:
            await anyio.wait_readable(child)
        if patience.cancelled_caught:
            self._gave_up = True
            os.kill(self._child, signal.SIGKILL)  # not waited for: the process id is still ours

    async def _end(self, gate: launch.Gate, child: int) -> None:
        """After this no process of the run exists. Without handles, the last one to go closes the streams."""
        if self._handles is not None:
            self._handles.kill()
            await self._handles.all_ended()
        await self._turn_away(gate, child)
        await anyio.wait_readable(child)
        _, self._child_status, usage = os.wait4(self._child, 0)  # noqa: ASYNC222 - it has ended
        self._child_cpu = usage.ru_utime + usage.ru_stime
        if self._handles is None:
            with anyio.move_on_after(EXIT_SECONDS):
                await self._streams.ended()

    def _release(self) -> None:
        if self._handles is not None:
            self._handles.close()

    async def _result(self) -> Result:
        if self._handles is None or self._meter is None:
            text = self._streams.stderr.content()[-2000:].decode(errors="replace").strip()
            raise SandboxFault(f"bubblewrap did not start the sandbox: {text or 'no message'}")
        if os.WIFSIGNALED(self._child_status) and not self._gave_up:
            raise SandboxFault(
                f"bubblewrap was killed from outside (signal {os.WTERMSIG(self._child_status)})"
            )
        code, number = self._exit(self._handles)
        cpu = max(self._meter.cpu, self._child_cpu)
        kept = await self._keep(self._handles)
        return Result(
            exit_code=code,
            signal=number,
            limit=self._hit or self._late_hit(self._meter, number, kept),
            stdout=self._streams.stdout.content(),
            stderr=self._streams.stderr.content(),
            stdout_size=self._streams.stdout.size,
            stderr_size=self._streams.stderr.size,
            report=bytes(self._streams.report),
            kept=kept.tar,
            wall=self._wall,
            cpu=cpu,
            memory=self._meter.memory,
            enforcement=ENFORCEMENT,
        )

    def _exit(self, handles: Handles) -> tuple[int | None, int | None]:
        """Exit code or signal. Without the kernel's own word, 128 + n counts as signal n."""
        status = handles.wait_status()
        value = os.waitstatus_to_exitcode(self._child_status if status is None else status)
        if status is None and value > SIGNAL_BASE and value - SIGNAL_BASE in set(signal.Signals):
            value = SIGNAL_BASE - value
        return (value, None) if value >= 0 else (None, -value)

    def _late_hit(self, meter: Meter, number: int | None, kept: Kept) -> LimitHit | None:
        """Limits that show only when it is over."""
        if number in SIGNAL_LIMITS:
            name = SIGNAL_LIMITS[signal.Signals(number)]
            setting = self._limits.cpu if name is LimitName.CPU else self._limits.file_size
            return LimitHit(name, setting, max(setting, meter.cpu if name is LimitName.CPU else 0))
        if kept.size > self._limits.keep:
            return LimitHit(LimitName.KEEP, self._limits.keep, kept.size)
        return meter.after() or self._streams.cut()

    async def _keep(self, handles: Handles) -> Kept:
        path = self._command.keep
        if path is None:
            return Kept(None, 0)
        place = holder(path, self._command)
        return await anyio.to_thread.run_sync(handles.scratch.keep, place, path, self._limits)

"""How a container's run becomes a Result."""

import io
import signal
import tarfile
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kaiju_sandbox.docker.run import Run
from kaiju_sandbox.limits import Enforcement, LimitName
from kaiju_sandbox.result import LimitHit, Result

POLLED = {LimitName.CPU, LimitName.FILES}
"""Hard for one process and for one scratch folder; the sum is looked at."""
ENFORCEMENT: Mapping[LimitName, Enforcement] = MappingProxyType(
    {name: Enforcement.POLLED if name in POLLED else Enforcement.HARD for name in LimitName}
)
NOT_FOUND, NOT_RUNNABLE = 127, 126


def result(run: Run, scratch: Mapping[str, int], state: Mapping[str, Any]) -> Result:
    """`state` is the engine's word on a container whose first process did not tell how the command ended."""
    code, number = ending(run, state)
    stdout, stderr = run.streams["stdout"], run.streams["stderr"]
    return Result(
        exit_code=code,
        signal=number,
        limit=run.hit or found(run, scratch, number, state),
        stdout=stdout.content(),
        stderr=stderr.content(),
        stdout_size=stdout.size,
        stderr_size=stderr.size,
        report=run.streams["report"].content()[: run.limits.report],
        kept=kept(run),
        wall=run.wall,
        cpu=float(run.usage.get("cpu", 0.0)),
        memory=int(run.usage.get("memory", 0)),
        enforcement=ENFORCEMENT,
    )


def ending(run: Run, state: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Exit code and signal of the command."""
    if run.unstarted is not None:
        return NOT_FOUND if run.unstarted == "ENOENT" else NOT_RUNNABLE, None
    code, number = run.usage.get("exit"), run.usage.get("signal")
    if code is None and number is None:
        # Ended from outside, or the first process itself was killed: by the kernel or by the command's doing.
        return None, int(signal.SIGKILL)
    return code, number


def found(
    run: Run, scratch: Mapping[str, int], number: int | None, state: Mapping[str, Any]
) -> LimitHit | None:
    """The limit that the kernel held, from its traces."""
    limits, usage = run.limits, run.usage
    if state.get("OOMKilled"):
        return LimitHit(LimitName.MEMORY, limits.memory, limits.memory)
    if number == signal.SIGXCPU:
        return LimitHit(LimitName.CPU, limits.cpu, max(limits.cpu, usage.get("cpu", 0.0)))
    if number == signal.SIGXFSZ:
        return LimitHit(LimitName.FILE_SIZE, limits.file_size, limits.file_size)
    for target in usage.get("full", ()):
        return LimitHit(LimitName.DISK, scratch[target], scratch[target])
    if usage.get("files", 0) >= limits.files:
        return LimitHit(LimitName.FILES, limits.files, usage["files"])
    written = max(run.streams["stdout"].size, run.streams["stderr"].size)
    if written > limits.output:
        return LimitHit(LimitName.OUTPUT, limits.output, written)
    return None


def kept(run: Run) -> bytes | None:
    """The tar that came, if it is whole, within the limit and made of plain members."""
    stream, limit = run.streams["keep"], run.limits.keep
    content = stream.content()
    if not content or max(stream.size, run.usage.get("kept", limit + 1)) > limit:
        return None
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            return content if all(is_plain(member) for member in archive) else None
    except tarfile.TarError:
        return None


def is_plain(member: tarfile.TarInfo) -> bool:
    """The container made the tar: look again."""
    parts = member.name.split("/")
    return (member.isreg() or member.isdir()) and not any(part in {"", ".", ".."} for part in parts)

"""Memory of a server under attack, as the kernel counts it."""

from pathlib import Path


def peak(pid: int) -> float:
    """The most that a process had in memory since the last `forget`, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def forget(pid: int) -> float:
    """Begin to measure anew; returns what the process has now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return peak(pid)


def grown(pid: int, before: float) -> float:
    """How much more than `before` it had at most, in MiB; `pytest -rP` shows it."""
    more = peak(pid) - before
    print(f"the server had {before:.0f} MiB and grew by {more:.0f}")  # noqa: T201 - a measurement
    return more

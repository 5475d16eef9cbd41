"""The order of one run: what its container finds in the private folder of the run."""

import json
from pathlib import Path

from kaiju_sandbox.command import REPORT_VARIABLE, Command
from kaiju_sandbox.docker.channel import Channel
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.placement import scratch_sizes


def outputs(command: Command) -> tuple[str, ...]:
    """The pipes that lead out of the container, beside the first process's own."""
    report = ("report",) if command.report else ()
    return ("stdout", "stderr", *report, *(("keep",) if command.keep else ()))


def open_channel(private: Path, command: Command, limits: Limits) -> Channel:
    """The pipes, with the order and the input beside them. Raises OSError when the disk refuses."""
    order = {
        "argv": command.argv,
        "cwd": command.cwd,
        "env": dict(command.env),
        "stdin": command.stdin is not None,
        "outputs": outputs(command),
        "report_variable": REPORT_VARIABLE,
        "scratch": list(scratch_sizes(command, limits)),
        "keep": command.keep,
        "keep_most": limits.keep,
    }
    pipes = Channel(private / "channel", outputs(command))
    pipes.put("order.json", json.dumps(order).encode())
    if command.stdin is not None:
        pipes.put("stdin", command.stdin)
    return pipes


def write_etc(private: Path, user: int) -> Path:
    """The whole /etc of a container: two files, and places for three that the engine mounts."""
    folder = private / "etc"
    folder.mkdir()
    folder.chmod(0o755)
    texts = {
        "passwd": f"kaiju:x:{user}:{user}:kaiju:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
        "group": f"kaiju:x:{user}:\nnogroup:x:65534:\n",
        "hosts": "",
        "hostname": "",
        "resolv.conf": "",
    }
    for name, text in texts.items():
        path = folder / name
        path.write_text(text)
        path.chmod(0o644)
    return folder

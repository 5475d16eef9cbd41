"""Lint the named files with ruff, under our rules. Runs in a sandbox; answers on the result channel."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

CHUNK = 200
"""Files of one call: the kernel limits the length of a command line."""
MAX_BYTES = 2 * 1024 * 1024
"""Of one file; the linter would need more memory than a sandbox has for much larger ones."""
MAX_FINDINGS = 2000
"""Of one call; more do not help anybody and would not fit into the answer."""
KEYS = ("filename", "location", "code", "name", "message")
COMMON = ["--isolated", "--no-cache", "--no-respect-gitignore"]


def main() -> None:
    here = Path(__file__).parent
    instructions = json.loads(here.joinpath("instructions.json").read_bytes())
    channel = io.FileIO(int(os.environ["KAIJU_REPORT_FD"]), "w")
    check = ["check", *COMMON, "--select", ",".join(instructions["rules"])]
    answer = ["--output-format", "json"]
    paths, large = [], []
    for path in instructions["paths"]:
        is_large = Path(path).is_file() and Path(path).stat().st_size > MAX_BYTES
        (large if is_large else paths).append(path)
    write(channel, {"event": "large", "paths": large, "limit": MAX_BYTES})
    for start in range(0, len(paths), CHUNK):
        chunk = ["--", *paths[start : start + CHUNK]]
        looked = run(instructions["ruff"], [*check, "--show-files", *chunk])
        seen = [path for path in looked["output"].split("\n") if path]
        write(channel, {"event": "files", "files": len(seen), "status": looked["status"]})
        findings = run(instructions["ruff"], [*check, "--exit-zero", "--ignore-noqa", *answer, *chunk])
        write(channel, {"event": "check", **slim(findings)})
        layout = run(instructions["ruff"], ["format", "--isolated", "--no-cache", "--check", *answer, *chunk])
        write(channel, {"event": "format", **slim(layout)})
    write(channel, {"event": "end"})


def run(ruff: str, arguments: list[str]) -> dict[str, Any]:
    done = subprocess.run([ruff, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    sys.stderr.buffer.write(done.stderr)
    return {"status": done.returncode, "output": done.stdout.decode("utf-8", "replace")}


def slim(answer: dict[str, Any]) -> dict[str, Any]:
    """Without proposed fixes, which repeat whole files, and without a flood."""
    try:
        findings = json.loads(answer["output"] or "[]")
    except ValueError:
        return {"status": answer["status"], "findings": None}
    kept = [{key: finding.get(key) for key in KEYS} for finding in findings[:MAX_FINDINGS]]
    return {"status": answer["status"], "findings": kept}


def write(channel: io.FileIO, record: dict[str, Any]) -> None:
    data = json.dumps(record).encode() + b"\n"
    while data:
        data = data[channel.write(data) :]


if __name__ == "__main__":
    sys.exit(main())

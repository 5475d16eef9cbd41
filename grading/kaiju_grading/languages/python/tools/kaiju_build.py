"""Compile every file that is named, import none. Runs in a sandbox; answers on the result channel."""

import io
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any


def main() -> None:
    here = Path(__file__).parent
    instructions = json.loads(here.joinpath("instructions.json").read_bytes())
    warnings.simplefilter("ignore")
    channel = io.FileIO(int(os.environ["KAIJU_REPORT_FD"]), "w")
    for index, path in enumerate(instructions["sources"]):
        # The file is named first: a file that kills the compiler is still known by name.
        write(channel, {"event": "begin", "file": index})
        problem = check(path)
        if problem is not None:
            write(channel, {"event": "problem", "file": index, **problem})
    write(channel, {"event": "end", "files": len(instructions["sources"])})


def check(path: str) -> dict[str, Any] | None:
    try:
        compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return {
            "line": error.lineno or 0,
            "column": error.offset or 0,
            "message": error.msg or "invalid syntax",
        }
    except (ValueError, OverflowError) as error:
        return {"line": 0, "column": 0, "message": str(error)}
    except (RecursionError, MemoryError):
        return {"line": 0, "column": 0, "message": "nested too deeply to compile"}
    except OSError as error:
        return {"line": 0, "column": 0, "message": error.strerror or "cannot be read"}
    return None


def write(channel: io.FileIO, record: dict[str, Any]) -> None:
    data = json.dumps(record).encode() + b"\n"
    while data:
        data = data[channel.write(data) :]


if __name__ == "__main__":
    sys.exit(main())

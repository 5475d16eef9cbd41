"""Runs the toy's tests: one function after the other, a record for each, and a closing record.

Arguments: the ids as JSON, then test files. Without ids every test of the files runs, and a first record
says which they are.
"""

import json
import os
import runpy
import sys
from typing import Any, TextIO


def run(test: Any) -> tuple[str, str]:  # noqa: ANN401 - whatever the test file defines
    try:
        test()
    except Exception as error:  # noqa: BLE001 - a test may raise anything
        return "failed", str(error)
    return "passed", ""


def run_all(ids: list[str], report: TextIO) -> None:
    loaded: dict[str, dict[str, Any]] = {}
    for number, id in enumerate(ids):
        path, name = id.split("::")
        print(json.dumps({"begun": number}), file=report, flush=True)
        if path not in loaded:
            loaded[path] = runpy.run_path(path)
        outcome, message = run(loaded[path][name])
        record = {"ended": number, "outcome": outcome, "message": message}
        print(json.dumps(record), file=report, flush=True)
    print(json.dumps({"closed": len(ids)}), file=report, flush=True)


def collect(files: list[str], report: TextIO) -> list[str]:
    names = {path: runpy.run_path(path) for path in files}
    ids = [f"{path}::{name}" for path in files for name in names[path] if name.startswith("test_")]
    print(json.dumps({"collected": ids}), file=report, flush=True)
    return ids


sys.path.insert(0, "")
with os.fdopen(int(os.environ["KAIJU_REPORT_FD"]), "w") as channel:
    run_all(json.loads(sys.argv[1]) or collect(sys.argv[2:], channel), channel)

"""Run pytest over the tree as instructed. Runs in a sandbox; results go to the result channel only."""

import importlib
import importlib.util
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


def main() -> None:
    # What a test left behind, such as a thread that waits for ever, must not keep the process from its end.
    leave = os._exit
    instructions = json.loads(HERE.joinpath("instructions.json").read_bytes())
    channel = int(os.environ.pop("KAIJU_REPORT_FD"))
    # Programs that tests start must not hold the channel open, or write to it.
    os.set_inheritable(channel, False)
    # Everything of the runner is loaded before a file of the tree can be found by name.
    pytest = importlib.import_module("pytest")
    for plugin in instructions["plugins"]:
        importlib.import_module(plugin)
    reporter = load("kaiju_report").Reporter(channel, instructions["tests"], instructions["messages"])
    answers = load("kaiju_answers")
    reporter.hear(answers.Answers(reporter.answered), answers.Key)
    sys.path[:0] = instructions["path"]
    os.environ["PYTHONPATH"] = os.pathsep.join(instructions["path"])
    sys.argv = ["pytest", *instructions["arguments"]]
    status = int(pytest.main(instructions["arguments"], plugins=[reporter]))
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    leave(status)


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()

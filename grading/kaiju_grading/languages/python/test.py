"""Test: pytest over chosen tests of a composed tree, with results on our own channel."""

from collections.abc import Mapping
from dataclasses import replace

from kaiju_grading.files import Files
from kaiju_grading.language import WORK, TestRun
from kaiju_grading.languages.python.sandboxed import RUN, Program, python_command
from kaiju_grading.outcome import TestReport
from kaiju_grading.readers.pytest import Ending, read
from kaiju_sandbox.command import Command
from kaiju_sandbox.result import Result

IMPORT_MODES = ("importlib", "prepend", "append")


def test_command(run: TestRun) -> Command:
    """A command that runs exactly `run.tests`.

    Options: `import_mode` (importlib), `plugins` (modules, separated by white space), `ini` (lines
    `name=value`), `path` (folders of the tree on the module search path, one a line; default: the tree, and
    its `src`). Raises ValueError for an option of another form.
    """
    plugins = run.options.get("plugins", "").split()
    instructions = {
        "arguments": _arguments(run, plugins),
        "messages": run.messages,
        "path": _search_path(run.work, run.options),
        "plugins": plugins,
        "tests": [[test.unit, test.ordinal] for test in run.tests] or None,
    }
    program = Program(
        "kaiju_main.py", ("kaiju_report.py", "kaiju_answers.py"), {"pytest.ini": _ini(run.options)}
    )
    command = python_command(program, instructions, run.work, run.environment)
    return replace(command, env={**command.env, "PYTHONHASHSEED": str(run.seed)})


def read_tests(run: TestRun, result: Result) -> TestReport:
    """Total. Outside visible runs and preparation an unsound run has no pass at all."""
    limit = result.limit.name if result.limit is not None else None
    ending = Ending(exit_code=result.exit_code, signal=result.signal, limit=limit)
    return read(result.report, ending, run.tests, strict=not run.messages)


def _arguments(run: TestRun, plugins: list[str]) -> list[str]:
    mode = run.options.get("import_mode", IMPORT_MODES[0])
    if mode not in IMPORT_MODES:
        raise ValueError(f"option import_mode is {mode!r}; expected one of {', '.join(IMPORT_MODES)}")
    return [
        "-q",
        "--no-header",
        "--tb=no",
        "--color=no",
        "--continue-on-collection-errors",
        f"--import-mode={mode}",
        f"--rootdir={WORK}",
        f"--confcutdir={WORK}",
        f"-c{RUN}/pytest.ini",
        "-pno:cacheprovider",
        *(f"-p{plugin}" for plugin in plugins),
        # A path that starts with a dash must not become an option.
        "--",
        *run.files,
    ]


def _search_path(work: Files, options: Mapping[str, str]) -> list[str]:
    folders = [line.strip().strip("/") for line in options.get("path", "").splitlines() if line.strip()]
    if not folders:
        is_folder = any(path.startswith("src/") for path in work) and "src/__init__.py" not in work
        folders = ["src", "."] if is_folder else ["."]
    return [WORK if folder == "." else f"{WORK}/{folder}" for folder in folders]


def _ini(options: Mapping[str, str]) -> bytes:
    """Our own configuration file: what the tree says is never looked at."""
    lines = [line.strip() for line in options.get("ini", "").splitlines() if line.strip()]
    for line in lines:
        if line.startswith("[") or "=" not in line:
            raise ValueError(f"option ini has the line {line!r}; expected name=value")
    return "\n".join(["[pytest]", *lines, ""]).encode()

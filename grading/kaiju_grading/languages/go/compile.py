"""Compiling: one test program for each package, holding the test files of every module at once."""

import json
from collections.abc import Mapping

from kaiju_grading.files import Files
from kaiju_grading.kept import kept_files
from kaiju_grading.language import Compilation, Programs
from kaiju_grading.languages.go.build import RULE
from kaiju_grading.languages.go.sandboxed import OUT, answer, go_command, problems, unanswered
from kaiju_grading.steps import Steps
from kaiju_sandbox.command import File

INDEX = "kaiju.json"
"""In the tree of a run: programs by folder, and the tests that each test file declares."""
TEST_PROGRAM = "kaiju.test"


def compile_tests(compilation: Compilation) -> Steps[Programs]:
    """Test files that do not compile are left out, with the parts that need them; the others are compiled."""
    order = {"parts": {name: list(files) for name, files in compilation.parts.items()}}
    result = yield go_command("compile", order, compilation.work, compilation.environment, keep=OUT)
    found = answer(result)
    if found is None:
        why = f"the tests do not compile: {unanswered(result)}"
        return Programs({}, dict.fromkeys(compilation.parts, why))
    failed = _texts(found.get("failed"))
    programs = _programs(found, kept_files(result))
    listed = found.get("tests")
    tests: Mapping[str, object] = listed if isinstance(listed, dict) else {}
    made: dict[str, Files] = {}
    broken: dict[str, str] = {}
    for name, files in compilation.parts.items():
        folders = frozenset(folder_of(path) for path in files if tests.get(path))
        reason = _reason(files, folders, failed, programs)
        if reason:
            broken[name] = reason
        else:
            index = {
                "programs": {folder: _placed(folder) for folder in folders},
                "tests": {path: tests[path] for path in files if tests.get(path)},
            }
            made[name] = {
                **_data(compilation, files),
                **{_placed(folder): programs[folder] for folder in folders},
                INDEX: File(json.dumps(index, sort_keys=True).encode()),
            }
    return Programs(made, broken, problems(found.get("problems"), compilation.sources, RULE))


def _programs(found: Mapping[str, object], kept: Files) -> dict[str, File]:
    """By folder. An answer without its file is none."""
    listed = found.get("programs")
    programs: dict[str, File] = {}
    for folder, entry in listed.items() if isinstance(listed, dict) else ():
        name = str(entry.get("file")) if isinstance(entry, dict) else ""
        if name in kept:
            programs[str(folder)] = File(kept[name].data, executable=True)
    return programs


def _texts(value: object) -> dict[str, str]:
    return {str(key): str(text) for key, text in value.items()} if isinstance(value, dict) else {}


def _reason(
    files: tuple[str, ...], folders: frozenset[str], failed: Mapping[str, str], programs: Mapping[str, File]
) -> str:
    """Why a part cannot run; empty when it can. Of other folders than those of its tests it needs nothing."""
    for path in files:
        if path in failed and folder_of(path) in folders:
            return failed[path]
    missing = sorted(folders - programs.keys())
    return (
        f"{missing[0]}: this package has no test program" if missing else _unreadable(files, folders, failed)
    )


def _unreadable(files: tuple[str, ...], folders: frozenset[str], failed: Mapping[str, str]) -> str:
    """A part whose only test files do not parse declares no test."""
    reasons = [failed[path] for path in files if path in failed]
    return reasons[0] if reasons and not folders else ""


def _data(compilation: Compilation, files: tuple[str, ...]) -> Files:
    """This part's own files and those of no part at all."""
    others = {path for part in compilation.parts.values() for path in part} - set(files)
    return {
        path: file
        for path, file in compilation.work.items()
        if not path.endswith(".go") and path not in others and path not in compilation.sources
    }


def _placed(folder: str) -> str:
    return TEST_PROGRAM if folder == "." else f"{folder}/{TEST_PROGRAM}"


def folder_of(path: str) -> str:
    """The folder of a file; `.` at the top."""
    return path.rpartition("/")[0] or "."

"""Links of test files: in Go they use each other's names without saying where these come from."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from kaiju_grading.files import Files
from kaiju_grading.languages.go.syntax import GoFile, read


def find_links(tests: Files, helpers: Files, module: str) -> Mapping[str, frozenset[str]]:
    """By path: files of the same package whose names it uses, helper packages that it imports, and data."""
    files = {path: read(file.data) for path, file in {**tests, **helpers}.items() if path.endswith(".go")}
    data = [path for path in helpers if not path.endswith(".go")]
    return {
        path: _neighbours(path, file, files) | _imported(path, file, files, module) | _data(path, data)
        for path, file in files.items()
    }


def _neighbours(path: str, file: GoFile, files: Mapping[str, GoFile]) -> frozenset[str]:
    folder = PurePosixPath(path).parent
    return frozenset(
        other
        for other, found in files.items()
        if other != path and PurePosixPath(other).parent == folder and _serves(found, file)
    )


def _serves(found: GoFile, user: GoFile) -> bool:
    """Names of an own package, or exported ones of the package that tests stand beside."""
    names = found.declared - {one.name for one in found.functions if one.tests}
    if "TestMain" in {one.name for one in found.functions}:
        return True
    if found.package != user.package:
        names = frozenset(name for name in names if name[:1].isupper())
    return bool(names & user.used)


def _imported(path: str, file: GoFile, files: Mapping[str, GoFile], module: str) -> frozenset[str]:
    folders = {one.path.removeprefix(module).lstrip("/") or "." for one in file.imports}
    return frozenset(
        other
        for other in files
        if other != path and not other.endswith("_test.go") and str(PurePosixPath(other).parent) in folders
    )


def _data(path: str, data: list[str]) -> frozenset[str]:
    """Every test of a folder may open what lies in it or below it."""
    folder = str(PurePosixPath(path).parent)
    return frozenset(other for other in data if folder == "." or other.startswith(folder + "/"))

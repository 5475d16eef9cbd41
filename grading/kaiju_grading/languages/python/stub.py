"""Stubbing: the interface of a library stays, its bodies go, and every file still reads as Python."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from kaiju_grading.languages.python.imports import quietly
from kaiju_grading.languages.python.stub_transform import Stubber
from kaiju_grading.preparation import FileAccount, Obstacle, Split, Stub
from kaiju_sandbox.command import File


def stub_library(split: Split, keep: Mapping[str, str]) -> Stub:
    """`keep` maps `path:qualified.name` to the reason that body stays. Raises Obstacle `unreadable_source`.

    Equal input gives equal bytes, and stubbing a stub changes nothing.
    """
    files: dict[str, File] = {}
    account: dict[str, FileAccount] = {}
    for path in sorted(split.library):
        file = split.library[path]
        if not path.endswith(".py"):
            files[path] = file
            continue
        reasons = _named(keep, path)
        stubbed = stub_file(path, file.data, reasons)
        files[path] = File(stubbed.data, file.executable)
        account[path] = stubbed.account
    return Stub(files, account)


@dataclass(frozen=True, slots=True)
class StubbedFile:
    data: bytes
    account: FileAccount


def stub_file(path: str, data: bytes, keep: Mapping[str, str]) -> StubbedFile:
    """One file; `keep` maps qualified names to reasons."""
    return _stub_file(path, data, tuple(sorted(keep.items())))


@lru_cache(maxsize=1024)  # every round of imports changes what is kept in a few files only
def _stub_file(path: str, data: bytes, keep: tuple[tuple[str, str], ...]) -> StubbedFile:
    try:
        module = cst.parse_module(data)
    except (cst.ParserSyntaxError, UnicodeDecodeError, LookupError, RecursionError) as error:
        raise Obstacle(
            "unreadable_source", f"{path} is not Python that can be read: {_first(data, error)}"
        ) from error
    stubber = Stubber(dict(keep))
    with quietly():
        stubbed = module.visit(stubber)
    return StubbedFile(stubbed.bytes, stubber.account())


def _named(keep: Mapping[str, str], path: str) -> dict[str, str]:
    prefix = path + ":"
    return {key.removeprefix(prefix): reason for key, reason in keep.items() if key.startswith(prefix)}


def _first(data: bytes, error: Exception) -> str:
    """Where and why, as Python itself tells it: the other parser counts differently."""
    try:
        with quietly():
            compile(data, "library", "exec", dont_inherit=True, flags=ast.PyCF_ONLY_AST)
    except SyntaxError as told:
        return f"line {told.lineno}: {told.msg}"
    except ValueError as told:
        return str(told)
    return type(error).__name__

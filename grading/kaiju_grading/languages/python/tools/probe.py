"""Imports every module of a tree and says on the result channel what works and which stubbed bodies ran.

Instructions beside it: `work`, the tree, and `roots`, pairs of a folder of the tree and a package in it.
Runs inside the sandbox, with nothing but the standard library.
"""

import ast
import importlib
import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

LAMBDA = "<lambda>"


def module_names(folder: Path, package: str) -> Iterator[str]:
    """Dotted names below `folder`, packages before their modules."""
    if (folder / f"{package}.py").is_file():
        yield package
        return
    for place, folders, files in os.walk(folder / package):
        folders[:] = sorted(name for name in folders if name.isidentifier())
        dotted = ".".join(Path(place).relative_to(folder).parts)
        if "__init__.py" in files:
            yield dotted
        stems = (name.removesuffix(".py") for name in sorted(files) if name.endswith(".py"))
        yield from (f"{dotted}.{stem}" for stem in stems if stem.isidentifier() and stem[:2] != "__")


def needed_bodies(error: BaseException | None, work: Path) -> Iterator[str]:
    """`path:qualified.name` of each body whose NotImplementedError is in the error's chain."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, NotImplementedError) and (name := innermost(error.__traceback__, work)):
            yield name
        error = error.__cause__ or error.__context__


def innermost(traceback: TracebackType | None, work: Path) -> str | None:
    """The stubbed body at the end of a traceback, None when it ends outside of the tree."""
    last, caller = None, None
    while traceback is not None:
        last, caller = traceback, last
        traceback = traceback.tb_next
    if last is None:
        return None
    if last.tb_frame.f_code.co_name == "<genexpr>" and caller and caller.tb_frame.f_code.co_name == LAMBDA:
        last = caller
    code = last.tb_frame.f_code
    path = Path(code.co_filename).resolve()
    if not path.is_relative_to(work):
        return None
    name = lambda_name(path, last) if code.co_name == LAMBDA else code.co_qualname.replace(".<locals>", "")
    return f"{path.relative_to(work).as_posix()}:{name}" if name else None


def lambda_name(path: Path, traceback: TracebackType) -> str | None:
    """The name that stubbing gives a lambda outside of functions, found by the position that ran."""
    found = sorted(outer_lambdas(ast.parse(path.read_bytes()), ()), key=lambda pair: start(pair[1]))
    line, _, column, _ = list(traceback.tb_frame.f_code.co_positions())[traceback.tb_lasti // 2]
    best = None
    for index, (scope, node) in enumerate(found):
        end = (node.end_lineno or 0, node.end_col_offset or 0)
        if line is not None and column is not None and start(node) <= (line, column) <= end:
            best = ".".join((*scope, f"{LAMBDA}#{index}"))
    return best


def start(node: ast.Lambda) -> tuple[int, int]:
    return node.lineno, node.col_offset


def outer_lambdas(node: ast.AST, scope: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.Lambda]]:
    """Lambdas that are not inside a function's body, with the classes and functions around them."""
    if isinstance(node, ast.Lambda):
        yield scope, node
    function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        scope = (*scope, node.name)
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        if not (function and name == "body"):
            for child in children:
                if isinstance(child, ast.AST):
                    yield from outer_lambdas(child, scope)


def main() -> None:
    instructions = json.loads(Path(__file__).with_name("instructions.json").read_bytes())
    work, roots = Path(instructions["work"]).resolve(), instructions["roots"]
    sys.path[:0] = list(dict.fromkeys(str(work / folder) for folder, _ in roots))
    warnings.simplefilter("ignore")
    works: list[str] = []
    broken: dict[str, str] = {}
    needed: set[str] = set()
    for folder, package in roots:
        for name in module_names(work / folder, package):
            try:
                importlib.import_module(name)
                works.append(name)
            except BaseException as error:  # noqa: BLE001 - whatever a module raises is an answer
                broken[name] = f"{type(error).__name__}: {str(error)[:200]}"
                needed.update(needed_bodies(error, work))
    answer = json.dumps({"works": works, "broken": broken, "needed": sorted(needed)})
    with os.fdopen(int(os.environ["KAIJU_REPORT_FD"]), "w", encoding="utf-8") as channel:
        channel.write(answer + "\n")
    os._exit(0)  # threads and exit handlers of the library have no say


if __name__ == "__main__":
    main()

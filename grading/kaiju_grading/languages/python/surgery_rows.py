"""Rows of `@pytest.mark.parametrize`: an expected value that stands in one row alters one id only."""

import ast
from dataclasses import dataclass

from kaiju_grading.languages.python.surgery_asserts import Assertions
from kaiju_grading.languages.python.surgery_body import site_of
from kaiju_grading.languages.python.surgery_flow import called_name
from kaiju_grading.languages.python.surgery_literals import value_edits
from kaiju_grading.languages.python.surgery_names import only_compared
from kaiju_grading.languages.python.surgery_prose import told
from kaiju_grading.languages.python.surgery_raises import raised_sites
from kaiju_grading.languages.python.surgery_source import Defined
from kaiju_grading.suite import Site, SiteKind


@dataclass(frozen=True, slots=True)
class Table:
    """The one literal table of a test: its columns by name, its rows in order."""

    names: tuple[str, ...]
    rows: tuple[tuple[ast.expr, ...], ...]
    decorator: ast.Call


def row_sites(defined: Defined) -> list[list[Site]]:
    """Sites by row, in the order that pytest numbers the ids; empty when rows cannot be mapped to ids."""
    table = table_of(defined)
    if table is None:
        return []
    columns = {name: kind for name in table.names if (kind := _use(defined, name)) is not None}
    hints = row_hints(defined, table)
    return [
        [
            site
            for name, value in zip(table.names, row, strict=True)
            if name in columns
            for site in _sites(defined, value, columns[name], hints)
        ]
        for row in table.rows
    ]


def _sites(defined: Defined, value: ast.expr, kind: SiteKind, hints: str) -> list[Site]:
    if kind is SiteKind.RAISES:
        return raised_sites(defined, value)
    if kind is SiteKind.IS and not (isinstance(value, ast.Constant) and isinstance(value.value, bool)):
        return []
    return [
        site_of(defined.source, edit, kind)
        for edit in value_edits(defined.source, value, refused=lambda edit: told(defined, edit, hints))
    ]


def row_hints(defined: Defined, table: Table) -> str:
    """Comments, docstring and ids: what may repeat a value of a row."""
    ids = [defined.source.text(keyword.value) for keyword in table.decorator.keywords if keyword.arg == "ids"]
    return "\n".join([defined.source.remarks(defined.function), *ids])


def table_of(defined: Defined) -> Table | None:
    """None when ids cannot be mapped to the rows of one table."""
    owner = defined.in_class.decorator_list if defined.in_class is not None else []
    tables = [
        node for node in [*defined.function.decorator_list, *owner] if called_name(node) == "parametrize"
    ]
    if len(tables) != 1 or tables[0] in owner or not isinstance(tables[0], ast.Call):
        return None
    call = tables[0]
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    names = _names(call.args[0] if call.args else given.get("argnames"))
    values = call.args[1] if len(call.args) > 1 else given.get("argvalues")
    values = _module_table(defined, values) if isinstance(values, ast.Name) else values
    if not names or "indirect" in given or len(call.args) > 2 or not isinstance(values, ast.List | ast.Tuple):
        return None
    rows = [_row(value, len(names)) for value in values.elts]
    if any(row is None for row in rows):
        return None
    return Table(names, tuple(row for row in rows if row is not None), call)


def _names(node: ast.expr | None) -> tuple[str, ...]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return tuple(name.strip() for name in node.value.split(",") if name.strip())
    if isinstance(node, ast.List | ast.Tuple):
        names = [item.value for item in node.elts if isinstance(item, ast.Constant)]
        return tuple(name for name in names if isinstance(name, str)) if len(names) == len(node.elts) else ()
    return ()


def _row(node: ast.expr, width: int) -> tuple[ast.expr, ...] | None:
    if isinstance(node, ast.Starred):
        return None
    if called_name(node) == "param" and isinstance(node, ast.Call):
        cells = node.args
    elif width == 1:
        cells = [node]
    else:
        cells = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return (
        tuple(cells) if len(cells) == width and not any(isinstance(c, ast.Starred) for c in cells) else None
    )


def _module_table(defined: Defined, name: ast.Name) -> ast.expr | None:
    """A table of the same file that only this test uses."""
    uses = [
        node for node in ast.walk(defined.source.tree) if isinstance(node, ast.Name) and node.id == name.id
    ]
    stores = [
        statement.value
        for statement in defined.source.tree.body
        if isinstance(statement, ast.Assign)
        and [target.id for target in statement.targets if isinstance(target, ast.Name)] == [name.id]
    ]
    return stores[0] if len(uses) == 2 and len(stores) == 1 else None


def _use(defined: Defined, name: str) -> SiteKind | None:
    """What the test does with a parameter: compares it, expects it to be raised, or something else (None)."""
    if only_compared(defined, name, stores=0):
        return SiteKind.EQUAL
    loads = [node for node in ast.walk(defined.function) if isinstance(node, ast.Name) and node.id == name]
    if len(loads) != 1:
        return None
    found = Assertions.certain(defined)
    if loads[0] in found.raised:
        return SiteKind.RAISES
    return SiteKind.IS if _is_identity(defined, loads[0]) else None


def _is_identity(defined: Defined, load: ast.Name) -> bool:
    """`assert ... is name`, straight in the body."""
    return any(
        isinstance(statement, ast.Assert)
        and isinstance(statement.test, ast.Compare)
        and len(statement.test.ops) == 1
        and isinstance(statement.test.ops[0], ast.Is)
        and statement.test.comparators[0] is load
        for statement in defined.function.body
    )

"""Modules: the coarsest split of the held-out tests that leaves enough of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from kaiju_grading import languages
from kaiju_grading.preparation import Obstacle
from kaiju_grading.suite import Cell, Module, Test
from kaiju_tasks.manifest import ModulesBy
from kaiju_tasks.prepare.cut import MIN_MODULES, Cut
from kaiju_tasks.recipe import RecipeFile
from kaiju_tasks.telling import is_told, told_tests

MAX_MODULES = 60
PART = 10
"""Alterable tests of a part: one bit each, and fewer are worth guessing at."""


@dataclass(frozen=True, slots=True)
class Division:
    """Held-out tests divided into modules."""

    by: ModulesBy
    modules: tuple[Module, ...]
    dropped: Mapping[str, str]
    """Module name to why it is none."""


def divide(cut: Cut, cells: tuple[Cell, ...], easy: frozenset[str], recipe: RecipeFile) -> Division:
    """The recipe's split, else the first of the language's levels that leaves 4 to 60 modules.

    Raises Obstacle `too_few_modules` or `too_many_modules`.
    """
    chosen = recipe.choices.modules_by
    levels: tuple[ModulesBy, ...] = (chosen,) if chosen else languages.get(recipe.language).levels
    tried: list[Division] = []
    for level in levels:
        division = _division(cut, cells, easy, recipe, level)
        if MIN_MODULES <= len(division.modules) <= MAX_MODULES:
            return division
        tried.append(division)
    counts = ", ".join(f"{len(division.modules)} by {division.by}" for division in tried)
    few = len(tried[-1].modules) < MIN_MODULES
    reasons = "; ".join(f"{name}: {why}" for name, why in list(tried[0].dropped.items())[:3])
    raise Obstacle(
        "too_few_modules" if few else "too_many_modules",
        f"{MIN_MODULES} to {MAX_MODULES} held-out modules are needed, there are {counts}"
        + (f" (dropped: {reasons})" if reasons else ""),
    )


def _division(
    cut: Cut, cells: tuple[Cell, ...], easy: frozenset[str], recipe: RecipeFile, level: ModulesBy
) -> Division:
    covered = frozenset(test_id for cell in cells for test_id in cell.tests)
    told = frozenset(told_tests(cells, cut.heldout, cut.visible, cut.shared))
    groups: dict[str, list[tuple[str, Test]]] = {}
    for path, tests in cut.heldout_tests.items():
        parts = _parts(path, tests, covered) if level == "part" else {}
        for test in tests:
            name = parts.get(test.unit) or _name(path, test, level, recipe)
            groups.setdefault(name, []).append((path, test))
    modules = []
    dropped = {}
    for name, members in groups.items():
        ids = frozenset(test.id for _, test in members)
        why = "in no group of the recipe"
        if name:
            why = _told(ids & told, ids & covered) or _unfit(members, covered, easy, recipe.canary_floor)
        if why:
            dropped[name or "(no group)"] = why
        else:
            modules.append(_module(cut, name, members))
    return Division(level, tuple(modules), dropped)


def _name(path: str, test: Test, level: ModulesBy, recipe: RecipeFile) -> str:
    if level == "package":
        return path.rpartition("/")[0] or "."
    if level == "file":
        return path
    if level == "class":
        return test.group or path
    if level == "function":
        return test.unit
    for name, globs in recipe.choices.groups.items():
        if any(fnmatchcase(test.unit, glob) for glob in globs):
            return name
    return ""


def _parts(path: str, tests: tuple[Test, ...], covered: frozenset[str]) -> dict[str, str]:
    """Unit to `path:1`, `path:2`, ...: neighbours together, each part with PART alterable tests or more."""
    weights: dict[str, int] = {}
    for test in tests:
        weights[test.unit] = weights.get(test.unit, 0) + (test.id in covered)
    most = max(1, sum(weights.values()) // PART)
    names: dict[str, str] = {}
    part, filled = 1, 0
    for unit, weight in weights.items():
        if filled >= PART and part < most:
            part, filled = part + 1, 0
        names[unit] = f"{path}:{part}"
        filled += weight
    return names


def _told(told: frozenset[str], covered: frozenset[str]) -> str:
    if not is_told(len(told), len(covered)):
        return ""
    return f"{len(told)} of {len(covered)} altered tests expect what visible tests expect"


def _unfit(
    members: list[tuple[str, Test]], covered: frozenset[str], easy: frozenset[str], floor: float
) -> str:
    ids = [test.id for _, test in members]
    if all(test_id in easy for test_id in ids):
        return f"all {len(ids)} tests pass on the stub"
    share = sum(test_id in covered for test_id in ids) / len(ids)
    if share < floor:
        return f"{share:.0%} of {len(ids)} tests can be altered, {floor:.0%} are needed"
    return ""


def _module(cut: Cut, name: str, members: list[tuple[str, Test]]) -> Module:
    files = tuple(sorted({path for path, _ in members}))
    mounted = {other for path in files for other in cut.mounted(path)}
    return Module(
        name, files, tuple(test for _, test in members), helpers=tuple(sorted(mounted - set(files)))
    )

"""Breaking: without a function the tests that call it fail, or something else passes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading.asked import Asked, failing
from kaiju_grading.bodies import parts, plain
from kaiju_grading.opinion import Opinion
from kaiju_grading.preparation import FileAccount, Obstacle
from kaiju_grading.suite import Module

NAME = "one function broken"
EXPECTED = "tests that reach it fail"
MODULES = 3
"""Paid modules that are asked about."""
TRIES = 6
"""Functions of one module that are broken, until a test of it fails."""
ENOUGH = 3
"""Functions that the reference's tests miss and the submission's do not: fewer may be called another way."""


@dataclass(slots=True)
class Tried:
    """What became of one module."""

    module: Module
    functions: list[str] = field(default_factory=list)
    failed: int = 0
    """Tests that the last of these functions failed."""
    unmoved: list[str] = field(default_factory=list)
    """Functions that no test of the submission misses, but some test of the reference does."""

    @property
    def suspicious(self) -> bool | None:
        """None where no test reaches any of them."""
        if self.failed:
            return False
        return True if len(self.unmoved) >= ENOUGH else None

    def told(self) -> str:
        if self.failed:
            return f"{self.failed} of {len(self.module.tests)} tests of {self.module.name} fail"
        if not self.functions:
            return f"{self.module.name} names no function of both trees"
        missed = f", those of the reference without {', '.join(self.unmoved)}" if self.unmoved else ""
        return f"no test of {self.module.name} fails{missed}"


async def ask_broken(asked: Asked) -> Opinion:
    """Break functions of some paid modules, chosen by the grader's key. Raises SandboxError."""
    drawn = sorted(asked.paid, key=lambda module: asked.draw.number("asked module", module.name))
    try:
        own = await asked.bodies.account(asked.files)
        upstream = await asked.bodies.account(asked.suite.reference)
        tried = [await _try(asked, module, _names(own, upstream)) for module in drawn[:MODULES]]
    except Obstacle as obstacle:
        return Opinion(name=NAME, tried="", expected=EXPECTED, seen=f"not possible: {obstacle.detail}")
    answers = {one.suspicious for one in tried}
    return Opinion(
        name=NAME,
        tried="; ".join(", ".join(one.functions) for one in tried if one.functions),
        expected=EXPECTED,
        seen="; ".join(one.told() for one in tried),
        suspicious=True if True in answers else False if False in answers else None,
    )


async def _try(asked: Asked, module: Module, names: frozenset[str]) -> Tried:
    """One function after the other, until a test misses one or enough are missed by the reference alone."""
    found = Tried(module)
    for name in _chosen(asked, module, names):
        found.functions.append(name)
        found.failed = await _missing(asked, module, name, reference=False)
        if found.failed:
            break
        if await _missing(asked, module, name, reference=True):
            found.unmoved.append(name)
            if len(found.unmoved) == ENOUGH:
                break
    return found


async def _missing(asked: Asked, module: Module, name: str, *, reference: bool) -> int:
    """Tests of the module that fail without the function."""
    files = asked.suite.reference if reference else asked.files
    runs = asked.runs(await asked.bodies.without(files, lambda other: other == name), (module,))
    # A tree that does not compile for want of a body says nothing.
    return len(await failing(runs, module)) if await runs.compiles(module) else 0


def _names(own: Mapping[str, FileAccount], upstream: Mapping[str, FileAccount]) -> frozenset[str]:
    """Functions that upstream wrote and the submission has, even if it wrote nothing into them."""
    written = {plain(name) for account in upstream.values() for name in account.stubbed}
    there = {plain(name) for account in own.values() for name in (*account.stubbed, *account.trivial)}
    return frozenset(written & there)


def _chosen(asked: Asked, module: Module, names: frozenset[str]) -> list[str]:
    """Public ones that the module's tests name: first those whose type they name, too."""
    words = asked.words(module)

    def named(name: str) -> bool:
        return bool(parts(name)) and _is_public(parts(name)) and parts(name)[-1] in words

    def rank(name: str) -> tuple[bool, int]:
        return not words.issuperset(parts(name)), asked.draw.number("asked function", name)

    return sorted(filter(named, names), key=rank)[:TRIES]


def _is_public(named: list[str]) -> bool:
    return not any(part.startswith("_") for part in named)

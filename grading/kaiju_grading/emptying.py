"""Emptying: a submission without its bodies earns nothing, or something else than its bodies earned it."""

from collections.abc import Iterable

from kaiju_grading.asked import Asked, failing
from kaiju_grading.bodies import Emptied, last, parts
from kaiju_grading.opinion import Opinion
from kaiju_grading.preparation import Obstacle
from kaiju_grading.suite import Module

NAME = "bodies taken out"
EXPECTED = "no module passes"
SHOWN = 3


async def ask_emptied(asked: Asked) -> Opinion:
    """Take out the bodies of all that upstream has under the same name, and run the paid modules as written.

    Bodies of other names stay: what forges results has one, and honest ones are called by those that are
    gone. Raises SandboxError.
    """
    try:
        account = await asked.bodies.account(asked.suite.reference)
        upstream = [name for one in account.values() for name in one.stubbed]
        out = {"", *map(last, upstream)}
        emptied = await asked.bodies.loading_without(asked.files, lambda name: last(name) in out)
    except Obstacle as obstacle:
        return Opinion(name=NAME, tried="", expected=EXPECTED, seen=f"not possible: {obstacle.detail}")
    runs = asked.runs(emptied.files, asked.paid)
    left = {module: len(module.tests) - len(await failing(runs, module)) for module in asked.paid}
    passing = [module for module in asked.paid if left[module] == len(module.tests)]
    telling = [module for module in passing if _lost_most(asked, module, upstream, emptied)]
    tests = sum(len(module.tests) for module in asked.paid)
    seen = f"{len(passing)} of {len(asked.paid)} modules, {sum(left.values())} of {tests} tests pass"
    aside = "; most functions that they name stand under other names" if passing and not telling else ""
    return Opinion(
        name=NAME,
        tried=_tried(emptied),
        expected=EXPECTED,
        seen=seen + _some(telling or passing) + aside,
        suspicious=True if telling else None if passing else False,
    )


def _lost_most(asked: Asked, module: Module, upstream: Iterable[str], emptied: Emptied) -> bool:
    """Whether most functions that the tests name are gone. Honest work may have written them under other
    names that lead to upstream's, or call them when it is loaded: then its tests may well pass."""
    words = asked.words(module)
    named = {last(name) for name in upstream if not words.isdisjoint(parts(name))} - {""}
    return 2 * len(named & emptied.gone) > len(named)


def _tried(emptied: Emptied) -> str:
    stays = f"; kept, for it does not load without: {', '.join(emptied.kept)}" if emptied.kept else ""
    return f"{emptied.taken} bodies{stays}"


def _some(modules: Iterable[Module]) -> str:
    names = [module.name for module in modules]
    return f": {', '.join(names[:SHOWN])}" if names else ""

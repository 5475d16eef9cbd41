"""Attacking: every attack of a language over a task's own stub, graded by us and by a careless grader."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.grade import ModuleVerdict
from kaiju_sandbox.errors import SandboxFault
from kaiju_tasks import attacks
from kaiju_tasks.attacks.attack import Attack, NotApplicable, nothing
from kaiju_tasks.campaign.ground import Graded, Ground
from kaiju_tasks.campaign.rows import AttackRow
from kaiju_tasks.campaign.watch import WatchedBackend, watching

TELLING = frozenset({ModuleVerdict.VOID, ModuleVerdict.BUILD_FAILED, ModuleVerdict.EXHAUSTED})

NAIVE_SECONDS = 150.0
"""Wall time of a careless run, which may have to compile."""


async def attack(
    ground: Ground, chosen: Iterable[Attack], note: Callable[[str], None], *, careless: bool = True
) -> tuple[AttackRow, ...]:
    """One row for each attack; what a careless grader pays only if `careless`, for that costs as much again.

    Raises SandboxFault when the stub itself cannot be graded.
    """
    with watching() as watch:
        ground = replace(
            ground,
            backend=WatchedBackend(ground.backend, watch),
            layout=replace(ground.layout, lures=watch.lures),
        )
        note("grading the stub")
        plain = (await ground.grade(ground.stub, nothing)).grade
        if plain.reward is None:
            raise SandboxFault(f"the stub was not graded: {plain.cause}")
        rows = []
        for number, one in enumerate(listed := tuple(chosen), 1):
            note(f"{one.name}, {number} of {len(listed)}")
            row = AttackRow(name=one.name, family=one.family, tries=one.summary, base=plain.reward)
            found = await _found(ground, one, careless=careless)
            rows.append(row.model_copy(update={**found, "escaped": watch.escapes()}))
        return tuple(rows)


async def _found(ground: Ground, one: Attack, *, careless: bool) -> dict[str, object]:
    """What became of an attack, by field of its row."""
    tree = one.apply(ground.stub, ground.layout)
    if isinstance(tree, NotApplicable):
        return {"not_applicable": tree.reason}
    graded = await ground.grade(tree, one.on_disk)
    naive = await _naive_reward(ground, tree) if careless else None
    grade = graded.grade
    return {"naive": naive, "reward": grade.reward, "noticed": _noticed(graded), "cause": grade.cause}


async def _naive_reward(ground: Ground, tree: Files) -> float:
    """Share of modules whose command ends with status 0."""
    suite, command = ground.suite, attacks.naive(ground.suite.language)
    limits = replace(languages.get(suite.language).build_limits, wall=NAIVE_SECONDS)
    paid = 0
    for module in suite.modules:
        result = await ground.backend.run(command(suite, tree, module), limits)
        paid += result.exit_code == 0
    return paid / len(suite.modules)


def _noticed(graded: Graded) -> tuple[str, ...]:
    verdicts = [module.verdict for module in graded.grade.modules if module.verdict in TELLING]
    dropped = ["files not taken"] if graded.submission.refused else []
    return tuple(dict.fromkeys([*graded.noticed, *verdicts, *dropped]))

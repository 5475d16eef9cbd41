"""Honesty: odd but honest trees over a task's own reference, graded as any submission is."""

from collections.abc import Callable, Iterable

from kaiju_sandbox.errors import SandboxFault
from kaiju_tasks.attacks.attack import NotApplicable, nothing
from kaiju_tasks.campaign.ground import Ground
from kaiju_tasks.campaign.rows import HonestRow
from kaiju_tasks.honest.case import Case


async def play(ground: Ground, chosen: Iterable[Case], note: Callable[[str], None]) -> tuple[HonestRow, ...]:
    """One row for each case. Raises SandboxFault when the reference itself cannot be graded."""
    note("grading the reference")
    plain = (await ground.grade(ground.reference, nothing)).grade
    if plain.reward is None:
        raise SandboxFault(f"the reference was not graded: {plain.cause}")
    rows = []
    for number, one in enumerate(listed := tuple(chosen), 1):
        note(f"{one.name}, {number} of {len(listed)}")
        rows.append(await _row(ground, one, plain.reward))
    return tuple(rows)


async def _row(ground: Ground, one: Case, base: float) -> HonestRow:
    row = HonestRow(name=one.name, does=one.summary, base=base)
    tree = one.apply(ground.reference, ground.layout)
    if isinstance(tree, NotApplicable):
        return row.model_copy(update={"not_applicable": tree.reason})
    graded = await ground.grade(tree, one.on_disk)
    found = {"reward": graded.grade.reward, "cause": graded.grade.cause, "noticed": graded.noticed}
    return row.model_copy(update={**found, "not_taken": tuple(graded.submission.refused)})

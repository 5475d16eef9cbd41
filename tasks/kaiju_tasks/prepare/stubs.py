"""Stubs: bodies removed, and those put back that building or importing the library needs."""

from kaiju_grading.files import Files
from kaiju_grading.preparation import Obstacle, Preparation, Probe, Split, Stub
from kaiju_grading.steps import follow
from kaiju_tasks.prepare.workshop import Workshop

MAX_ROUNDS = 60
RECIPE_REASON = "the recipe keeps it"


async def make_stub(
    workshop: Workshop, preparation: Preparation, split: Split, keep: tuple[str, ...], limit: float
) -> Stub:
    """Stub, probe, put back what is needed, until the stub works as far as the reference does.

    Raises Obstacle `kept_limit` when more than `limit` of the body lines stay, `stub_build` when the stub
    never works.
    """
    kept = dict.fromkeys(keep, RECIPE_REASON)
    wanted = await _probe(workshop, preparation, split, split.library)
    for _ in range(MAX_ROUNDS):
        stub = await follow(preparation.stub(split, kept, workshop.environment), workshop.build)
        found = await _probe(workshop, preparation, split, stub.files)
        if wanted.works <= found.works:
            return _within(stub, limit)
        more = {name: reason for name, reason in sorted(found.needed.items()) if name not in kept}
        if not more:
            break
        kept |= more
        _within(stub, limit)
    missing = sorted(wanted.works - found.works)
    reasons = [f"{unit} ({found.broken.get(unit, 'no reason')})" for unit in missing[:3]]
    raise Obstacle("stub_build", f"the stub does not work: {', '.join(reasons)}")


def _within(stub: Stub, limit: float) -> Stub:
    if stub.kept_share > limit:
        names = [f"{path}:{name}" for path, account in stub.account.items() for name in account.kept]
        share = f"{stub.kept_share:.1%} of the body lines must stay, allowed are {limit:.1%}"
        raise Obstacle("kept_limit", f"{share}: {', '.join(names[:12])}")
    return stub


async def _probe(workshop: Workshop, preparation: Preparation, split: Split, library: Files) -> Probe:
    return await follow(preparation.probe(library, split, workshop.environment), workshop.build)

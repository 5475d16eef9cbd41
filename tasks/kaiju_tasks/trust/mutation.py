"""Mutation: a small mistake in the reference must cost a reward, or the tests would pay for it."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from kaiju_grading.assay import Assay, Mutant
from kaiju_grading.files import Files
from kaiju_grading.grade import ModuleVerdict
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.command import File
from kaiju_tasks.claim import Claim
from kaiju_tasks.prepare.halves import grade_tree
from kaiju_tasks.trust.evidence import NOT_APPLICABLE, Evidence

NAME = "small mistakes cost reward"
MUTANTS = 8
"""Tried on one module, until one costs it."""
ENOUGH = 0.5
"""Share of the modules that must notice one of theirs."""
SHORTEST, FACTOR = 10.0, 10.0
"""Seconds, and multiples of the module's own, that a run of a mutant may take: some never end."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mutant of one file."""

    path: str
    mutant: Mutant


@dataclass(slots=True)
class Tried:
    """What became of the mutants of one module."""

    survived: list[str] = field(default_factory=list)
    noticed: bool = False


async def mutation_claim(evidence: Evidence, note: Callable[[str], None]) -> Claim:
    """Grades mutants of what each module's tests name. Modules that notice none are listed as weak.

    Fails when most modules are: their tests would pay for a library that is nearly right anywhere.
    """
    assay = evidence.assay
    if assay is None:
        return Claim(name=NAME, holds=True, detail=NOT_APPLICABLE)
    tried = {}
    for number, module in enumerate(evidence.suite.modules, 1):
        note(f"mutants of {module.name}, {number} of {len(evidence.suite.modules)}")
        tried[module.name] = await _try(evidence, module, choose(evidence, module, assay))
    weak = [name for name, one in tried.items() if not one.noticed]
    graded = sum(len(one.survived) + one.noticed for one in tried.values())
    detail = f"{len(tried) - len(weak)} of {len(tried)} modules noticed one; {graded} graded"
    return Claim(
        name=NAME,
        holds=len(tried) - len(weak) >= ENOUGH * len(tried),
        detail=detail + (f"; weak: {', '.join(weak)}" if weak else ""),
    )


async def _try(evidence: Evidence, module: Module, mistakes: Iterable[Mistake]) -> Tried:
    """Grade one after the other, until one costs the module."""
    found = Tried()
    suite = _alone(evidence.suite, module)
    for one in mistakes:
        grade = await grade_tree(suite, _with(suite.reference, one), evidence.backend)
        verdict = grade.modules[0].verdict
        if verdict is ModuleVerdict.PASSED:
            found.survived.append(f"{one.path}:{one.mutant.body}")
        elif verdict is not ModuleVerdict.BUILD_FAILED and "compile" not in grade.cause:
            found.noticed = True
            break
    return found


def _alone(suite: Suite, module: Module) -> Suite:
    wall = min(suite.limits.wall, max(SHORTEST, FACTOR * module.seconds))
    return replace(suite, modules=(module,), limits=replace(suite.limits, wall=wall))


def _with(reference: Files, one: Mistake) -> Files:
    file = reference[one.path]
    return {**reference, one.path: File(one.mutant.applied(file.data), file.executable)}


def choose(evidence: Evidence, module: Module, assay: Assay) -> tuple[Mistake, ...]:
    """A few, the same every time: one of each body before a second of any.

    Of bodies whose own name the module's tests have; where there is none, of those of types that they name;
    else of any.
    """
    words = frozenset(
        word
        for path in module.mounted
        for word in re.findall(r"\w+", evidence.suite.heldout[path].data.decode(errors="replace"))
    )
    found = [
        Mistake(path, mutant)
        for path, file in sorted(evidence.sources(assay).items())
        for mutant in assay.mutants(file.data)
    ]
    own = [one for one in found if one.mutant.body.rpartition(".")[2] in words]
    types = [one for one in found if words.intersection(one.mutant.body.split("."))]
    bodies: dict[tuple[str, str], list[Mistake]] = defaultdict(list)
    for one in sorted(own or types or found, key=lambda one: _key(module, one)):
        bodies[one.path, one.mutant.body].append(one)
    ranked = [one for rank in zip_longest(*bodies.values()) for one in rank if one is not None]
    return tuple(ranked[:MUTANTS])


def _key(module: Module, one: Mistake) -> str:
    said = f"{module.name}\0{one.path}\0{one.mutant.start}\0{one.mutant.kind}"
    return hashlib.sha256(said.encode()).hexdigest()

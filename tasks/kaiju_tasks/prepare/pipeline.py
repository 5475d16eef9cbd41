"""The pipeline: a recipe in, a proven task in the store out, or an Obstacle that says why not."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from anyio import to_thread

from kaiju_grading import languages
from kaiju_grading.linting import run_lint
from kaiju_grading.preparation import Obstacle, Preparation, Split
from kaiju_grading.report import LintStatus
from kaiju_grading.steps import follow
from kaiju_grading.suite import Cell, Suite
from kaiju_sandbox import backends
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.settings import Settings
from kaiju_tasks.prepare.asking import answered
from kaiju_tasks.prepare.checks import ModuleCheck, check_modules, failing_visible
from kaiju_tasks.prepare.company import Candidate, companies, compiled, in_one_program, judge, propose, turns
from kaiju_tasks.prepare.cut import Cut, choose_visible, make_cut, share_helpers
from kaiju_tasks.prepare.draft import Draft
from kaiju_tasks.prepare.folder import install, task_files
from kaiju_tasks.prepare.halves import Halving
from kaiju_tasks.prepare.material import Gathering, Material
from kaiju_tasks.prepare.messages import messages_page
from kaiju_tasks.prepare.modules import Division, divide
from kaiju_tasks.prepare.pages import notes_page, with_pages
from kaiju_tasks.prepare.proving import Proof, without
from kaiju_tasks.prepare.stubs import make_stub
from kaiju_tasks.prepare.trials import Trials, try_reference, try_stub
from kaiju_tasks.prepare.workshop import Workshop
from kaiju_tasks.recipe import Recipe

Note = Callable[[str], None]
"""Called with the name of each step as it begins."""
MAX_CHECKS = 3


@dataclass(frozen=True, slots=True)
class Prepared:
    """A task in the store, and what it was made from."""

    path: Path
    draft: Draft


@dataclass(frozen=True, slots=True)
class Alterable:
    """A cut with its proven alterations; tests that alterations disturb are gone."""

    cut: Cut
    cells: tuple[Cell, ...]
    dropped: dict[str, str]


async def prepare(recipe: Recipe, settings: Settings, note: Note) -> Prepared:
    """Make the task and put it in the store. Raises Obstacle, SandboxError, TaskFormatError."""
    language = recipe.content.language
    preparation = languages.preparation(language)
    material = await gather(Gathering(preparation, settings, recipe), note)
    workshop = Workshop(
        backend=backends.create(settings),
        language=languages.get(language),
        environment=material.environment,
        slots=settings.slots,
        options=material.split.options,
    )
    await workshop.backend.sweep()
    draft = await _draft(material, preparation, workshop, note)
    files = task_files(draft, workshop.backend.name)
    path = await to_thread.run_sync(install, files, settings.tasks_dir, material.task_id)
    return Prepared(path, draft)


async def gather(gathering: Gathering, note: Note) -> Material:
    """Fetch, split, lock and provision."""
    note("fetching the release")
    source = await to_thread.run_sync(gathering.source)
    if not source.licence:
        raise Obstacle("no_licence", "the archive names no licence")
    note("taking it apart")
    split = await to_thread.run_sync(gathering.split, source)
    note("building the environment")
    return await to_thread.run_sync(gathering.material, source, split)


async def _draft(material: Material, preparation: Preparation, workshop: Workshop, note: Note) -> Draft:
    recipe, split = material.recipe.content, material.split
    note("removing the bodies")
    stub = await make_stub(workshop, preparation, split, recipe.choices.keep, recipe.kept_limit)
    note(f"running {len(split.tests)} test files on the reference, {recipe.repeats} times")
    trials = await try_reference(workshop, split, recipe.choices.exclude, recipe.repeats)
    workshop = replace(workshop, limits=replace(workshop.limits, wall=trials.wall))
    note("running them on the stub")
    trials = replace(trials, easy=await try_stub(workshop, split, stub.files, trials))
    note("choosing visible tests")
    cut = await _cut(workshop, preparation, split, trials, recipe.choices.visible)
    note("proving alterations")
    alterable = await _alter(workshop, preparation, split, cut, recipe.mixes)
    note("running the modules")
    checked = await settle_modules(workshop, material, alterable, trials.easy)
    note("writing the specification")
    heldout = {path: split.tests[path] for path in checked.alterable.cut.heldout_tests}
    environment = workshop.environment
    private = await follow(preparation.private_names(split, heldout, environment), workshop.build)
    spec = await follow(preparation.spec(split, material.source, private, environment), workshop.build)
    cut = checked.alterable.cut
    messages = messages_page(material.reference, stub.files, (cut.heldout, cut.visible, cut.shared))
    added = {**messages, **notes_page(recipe.notes)}
    draft = Draft(
        material=material,
        stub=stub,
        trials=trials,
        cut=cut,
        cells=checked.alterable.cells,
        division=checked.division,
        seconds=checked.check.seconds,
        dropped=checked.alterable.dropped,
        spec=with_pages(spec, added),
        commands=preparation.commands(split),
        options=split.options,
    )
    note("linting the stub and grading a half of the reference")
    draft = replace(draft, lint_baseline=await _lint_baseline(draft.suite(), draft, workshop.backend))
    halving = Halving(workshop, preparation, split, stub, draft.suite())
    return replace(draft, half=await halving.find(recipe.half))


async def _cut(
    workshop: Workshop, preparation: Preparation, split: Split, trials: Trials, chosen: tuple[str, ...]
) -> Cut:
    """The cut that hides most and lets every visible test pass."""
    visible = choose_visible(split, trials, chosen)
    for data in (False, True):
        cut = make_cut(preparation, split, trials, visible, data=data)
        if not await failing_visible(workshop, split, cut):
            return cut
    cut = share_helpers(split, cut)
    return cut.less(await failing_visible(workshop, split, cut))


async def _alter(
    workshop: Workshop, preparation: Preparation, split: Split, cut: Cut, count: int
) -> Alterable:
    proofs = [Proof.of(workshop, split, cut, path) for path in sorted(cut.heldout_tests)]
    proposed = await propose(preparation, proofs)
    asking = [proof.with_lookups(found) for proof, found in zip(proofs, proposed, strict=True)]
    if workshop.compiles:
        asking = [group[0] for group in in_one_program([[proof] for proof in asking])]
    pairs = list(zip(asking, proposed, strict=True))
    cells = await workshop.each(pairs, lambda pair: answered(*pair))
    candidates = (
        Candidate.of(proof.with_lookups(found), found, count)
        for proof, found in zip(proofs, cells, strict=True)
    )
    together = companies(candidates)
    if workshop.compiles:
        together = compiled(together)
    mixes = [mix for company in together for mix in turns(company)]
    found = await judge(workshop, mixes)
    return Alterable(
        cut=cut.less(found.disturbed),
        cells=tuple(cell for of_file in cells for cell in without(of_file, found.refuted)),
        dropped=dict.fromkeys(sorted(found.disturbed), "fails beside altered tests"),
    )


@dataclass(frozen=True, slots=True)
class Checked:
    """Modules that pass as a grading runs them."""

    alterable: Alterable
    division: Division
    check: ModuleCheck


async def settle_modules(
    workshop: Workshop, material: Material, alterable: Alterable, easy: frozenset[str]
) -> Checked:
    """Divide and run; tests that fail in their module's company alone are dropped, then divided again.

    Raises Obstacle `too_few_modules`, `too_many_modules`, or `unstable_tests` when that has no end.
    """
    for _ in range(MAX_CHECKS):
        division = divide(alterable.cut, alterable.cells, easy, material.recipe.content)
        check = await check_modules(
            workshop, material.split, alterable.cut, alterable.cells, division.modules
        )
        if not check.failed:
            return Checked(alterable, division, check)
        reasons = dict.fromkeys(sorted(check.failed), "fails when only its module's tests run")
        alterable = Alterable(
            alterable.cut.less(check.failed), alterable.cells, {**alterable.dropped, **reasons}
        )
    raise Obstacle(
        "unstable_tests", f"tests keep failing on the reference: {', '.join(sorted(check.failed)[:5])}"
    )


async def _lint_baseline(suite: Suite, draft: Draft, backend: Backend) -> tuple[str, ...]:
    report = await run_lint(suite, draft.stub.files, backend)
    if report.status is LintStatus.COULD_NOT_LINT:
        raise Obstacle("stub_lint", f"the stub cannot be linted: {report.cause}")
    return tuple(sorted(problem.key for problem in report.problems))

"""Pinning: the recipe that makes a prepared task again, byte for byte."""

from kaiju_tasks.prepare.draft import Draft
from kaiju_tasks.recipe import ChoicesPart, LockPart, Recipe


def pinned(draft: Draft) -> Recipe:
    """The draft's recipe with release, digest, lock, visible tests, modules and half written down."""
    recipe, release, lock = draft.material.recipe, draft.material.source.release, draft.material.lock
    environment = LockPart(
        lock=f"{recipe.name}.lock",
        language_version=lock.language_version,
        metadata=dict(sorted(lock.metadata.items())),
    )
    local = bool(recipe.content.path)
    content = recipe.content.model_copy(
        update={
            "purl": "" if local else release.purl,
            "sha256": None if local else release.sha256,
            "half": draft.half.record.restore,
            "environment": environment,
            "choices": _choices(draft),
        }
    )
    return Recipe(recipe.name, content, lock.text, recipe.folder)


def _choices(draft: Draft) -> ChoicesPart:
    chosen = draft.material.recipe.content.choices
    update: dict[str, object] = {"modules_by": draft.division.by}
    if not chosen.visible:
        update["visible"] = _visible(draft)
    return chosen.model_copy(update=update)


def _visible(draft: Draft) -> tuple[str, ...]:
    """Whole files by path, parts of files by unit."""
    seen, hidden = draft.cut.visible_tests, draft.cut.heldout_tests
    whole = sorted(path for path in draft.cut.visible if path not in hidden)
    units = {test.unit: None for path in sorted(seen) if path in hidden for test in seen[path]}
    return (*whole, *units)

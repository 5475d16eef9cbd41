"""A survey: what a release offers, seen without running any of it."""

from anyio import to_thread

from kaiju_grading import languages
from kaiju_grading.preparation import Obstacle, Split
from kaiju_sandbox.settings import Settings
from kaiju_tasks.format import Part
from kaiju_tasks.prepare.material import Gathering
from kaiju_tasks.recipe import Recipe


class SurveyRow(Part):
    """One candidate."""

    purl: str
    licence: str = ""
    sources: int = 0
    """Library files."""
    tests: int = 0
    """Test files."""
    runner: str = ""
    modules: str = ""
    """How the held-out tests would probably be divided."""
    obstacle: str = ""
    """Code of the first thing in the way; empty when nothing is."""
    detail: str = ""


async def survey(recipe: Recipe, settings: Settings) -> SurveyRow:
    """Fetch and split, nothing more. An obstacle is a row, not an error."""
    preparation = languages.preparation(recipe.content.language)
    gathering = Gathering(preparation, settings, recipe)
    row = SurveyRow(purl=recipe.purl)
    try:
        source = await to_thread.run_sync(gathering.source)
        row = row.model_copy(update={"purl": source.release.purl, "licence": source.licence})
        split = await to_thread.run_sync(gathering.split, source)
    except Obstacle as obstacle:
        return row.model_copy(update={"obstacle": obstacle.code, "detail": obstacle.detail})
    found = {
        "sources": len(split.library),
        "tests": len(split.tests),
        "runner": preparation.commands(split).get("test", ""),
        "modules": _modules(split),
        "obstacle": "" if source.licence else "no_licence",
    }
    return row.model_copy(update=found)


def _modules(split: Split) -> str:
    return f"{len(split.tests)} files" if len(split.tests) > 4 else "by class or function"

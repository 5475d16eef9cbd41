"""Material: a release fetched and taken apart, with its pinned environment built on this machine."""

from dataclasses import dataclass, field, replace

from kaiju_grading.files import Files
from kaiju_grading.preparation import Lock, Obstacle, Preparation, Source, Split
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings
from kaiju_tasks.recipe import Recipe, recipe_name


@dataclass(frozen=True, slots=True)
class Material:
    """What preparation works on."""

    recipe: Recipe
    source: Source
    split: Split
    lock: Lock
    environment: Environment

    @property
    def task_id(self) -> str:
        release = self.source.release
        return recipe_name(f"{self.recipe.content.language}-{release.name}-{release.version}")

    @property
    def reference(self) -> Files:
        return self.split.library


@dataclass(frozen=True, slots=True)
class Gathering:
    """How to get material; blocking, and the only part of preparation that uses the network."""

    preparation: Preparation
    settings: Settings
    recipe: Recipe = field(repr=False)

    def source(self) -> Source:
        """Download (or read) the release and check its digest. Raises Obstacle."""
        release = self.preparation.release(self.recipe.purl)
        pinned = self.recipe.content.sha256
        if pinned is not None:
            release = replace(release, sha256=pinned)
        return self.preparation.fetch(release, self.settings.downloads_dir)

    def split(self, source: Source) -> Split:
        """Library, tests, helpers, configuration and docs apart. Raises Obstacle."""
        split = self.preparation.split(source, self.recipe.content.choices.as_choices())
        if not split.tests:
            raise Obstacle("no_tests", "the archive has no test file")
        return split

    def material(self, source: Source, split: Split) -> Material:
        """Lock (unless the recipe is locked) and build the environment. Raises Obstacle."""
        lock = self.recipe.lock or self.preparation.lock(split, source, self.settings)
        return Material(self.recipe, source, split, lock, self.preparation.provision(lock, self.settings))

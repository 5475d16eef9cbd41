"""The recipes that are shipped: each makes its task on this machine, and the task proves itself.

Needs the registries, the toolchains of the languages, and minutes for each recipe.
"""

import json
import os
import shutil

import pytest
from click.testing import CliRunner, Result

from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.commands import tasks

PROGRAMS = {"go": "go", "rust": "cargo"}
"""What a language needs on this machine beside Kaiju's own dependencies."""


def call(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(tasks, ["--state-dir", str(settings.state_dir), *arguments, "--json"])


@pytest.mark.slow
@pytest.mark.parametrize("name", recipes.shipped())
def test_a_shipped_recipe_makes_a_task_that_proves_itself(name: str, settings: Settings) -> None:
    program = PROGRAMS.get(recipes.load_shipped(name).content.language)
    if program and shutil.which(program) is None and "KAIJU_REQUIRE_ALL" not in os.environ:
        pytest.skip(f"no {program} on this machine")
    prepared = call(settings, "prepare", name)
    assert prepared.exit_code == 0, prepared.output
    validated = call(
        settings, "validate", json.loads(prepared.stdout)["id"], "--repeats", "2", "--no-attacks"
    )
    proof = json.loads(validated.stdout)
    assert validated.exit_code == 0, [claim for claim in proof["claims"] if not claim["holds"]]

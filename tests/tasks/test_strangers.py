"""Libraries that nobody wrote a recipe for: each becomes a task by its package URL alone, or says why not.

Needs the package index, and minutes for each library.
"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kaiju_sandbox.settings import Settings
from kaiju_tasks.commands import tasks

VALIDATES = "validates"
STRANGERS = {
    "boltons@26.2.0": VALIDATES,
    "cachetools@8.0.2": VALIDATES,
    "deprecated@1.3.1": VALIDATES,
    "intervaltree@3.2.1": VALIDATES,
    "janus@2.0.0": VALIDATES,
    "jaraco.collections@5.2.1": "namespace_package",
    "kui@1.15.0": VALIDATES,
    "lark@1.3.1": "kept_limit",
    "lazy_loader@0.6": VALIDATES,
    "marshmallow@4.4.0": "kept_limit",
    "oauthlib@4.0.1": VALIDATES,
    "parso@0.8.7": VALIDATES,
    "python-slugify@9.2.0": VALIDATES,
    "semver@3.1.2": VALIDATES,
    "simplejson@4.3.0": "kept_limit",
    "tabulate@0.10.0": VALIDATES,
    "tomlkit@0.15.2": VALIDATES,
    "toolz@1.2.0": "kept_limit",
    "traitlets@5.16.1": "kept_limit",
    "tryalgo@1.7.0": VALIDATES,
    "voluptuous@0.16.0": VALIDATES,
}


def call(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(tasks, ["--state-dir", str(settings.state_dir), *arguments, "--json"])


@pytest.mark.slow
@pytest.mark.parametrize(("release", "expected"), STRANGERS.items())
def test_a_stranger_becomes_a_task_or_says_why_not(
    release: str, expected: str, settings: Settings, tmp_path: Path
) -> None:
    prepared = call(settings, "prepare", f"pkg:pypi/{release}", "--recipe-dir", str(tmp_path))
    if expected != VALIDATES:
        assert (prepared.exit_code, json.loads(prepared.stdout)["error"]["code"]) == (3, expected)
        return
    assert prepared.exit_code == 0, prepared.output
    validated = call(
        settings, "validate", json.loads(prepared.stdout)["id"], "--repeats", "1", "--no-attacks"
    )
    assert validated.exit_code == 0, validated.output

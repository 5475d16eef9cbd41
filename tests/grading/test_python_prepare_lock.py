"""Locks: what a release asks for before anything is resolved."""

from pathlib import Path

import pytest

from kaiju_grading.languages.python.prepare import PREPARATION
from kaiju_grading.preparation import Choices, Lock, Obstacle
from kaiju_sandbox.settings import Settings

PKG_INFO = "Metadata-Version: 2.4\nName: Sample\nVersion: 2.0\nLicense-Expression: MIT\n"
PROJECT = '[project]\nname = "sample"\nversion = "2.0"\n'


def lock(folder: Path, settings: Settings, files: dict[str, str]) -> Lock:
    """Of a folder with one module, one test file and these files; the index must not be asked."""
    for name, text in {"sample.py": "def one():\n    return 1\n", **files}.items():
        (folder / name).write_text(text)
    (folder / "tests").mkdir()
    (folder / "tests/test_one.py").write_text(
        "import sample\n\ndef test_one():\n    assert sample.one() == 1\n"
    )
    source = PREPARATION.fetch(PREPARATION.release(f"path:{folder}"), folder)
    return PREPARATION.lock(PREPARATION.split(source, Choices()), source, settings)


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"PKG-INFO": f"{PKG_INFO}Requires-Python: >=3.99\n"}, ">=3.99"),
        ({"pyproject.toml": f'{PROJECT}requires-python = "<3"\n'}, "<3"),
        (
            {
                "pyproject.toml": f'{PROJECT}requires-python = "<3"\n',
                "PKG-INFO": f"{PKG_INFO}Requires-Python: >4",
            },
            ">4",
        ),
    ],
)
def test_a_release_for_other_pythons_is_an_obstacle_before_anything_is_resolved(
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    wanted: str,
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/")
    with pytest.raises(Obstacle) as caught:
        lock(tmp_path, settings, files)
    assert caught.value.code == "other_language_version"
    assert f"needs Python {wanted}, the sandboxes have 3." in caught.value.detail


@pytest.mark.parametrize("wanted", ["", ">=3.8", "!=3.0.*,>=2.7", "nonsense"])
def test_a_release_that_fits_or_does_not_say_goes_on(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/")
    with pytest.raises(Obstacle) as caught:
        lock(tmp_path, settings, {"PKG-INFO": f"{PKG_INFO}Requires-Python: {wanted}\n"})
    assert caught.value.code in {"index_unavailable", "dependency_unavailable"}

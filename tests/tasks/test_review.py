"""Second opinions on what was handed in, as `kaiju tasks review` and the campaigns print them."""

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kaiju_grading.literals import texts
from kaiju_sandbox.settings import Settings
from kaiju_tasks.commands import tasks
from kaiju_tasks.solution import reference_files
from kaiju_tasks.store import Store

BODIES, BROKEN = "bodies taken out", "one function broken"
HandIn = Callable[[dict[str, str]], Path]


def call(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(tasks, ["--state-dir", str(settings.state_dir), *arguments])


def reviewed(settings: Settings, tally: str, folder: Path) -> tuple[float, dict[str, dict[str, Any]]]:
    """The reward, and opinions by name."""
    result = call(settings, "review", tally, str(folder), "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    return told["grade"]["reward"], {one["name"]: one for one in told["opinions"]}


@pytest.fixture
def hand_in(tally: str, settings: Settings, tmp_path: Path) -> HandIn:
    """Writes the reference with these texts behind its files, or with these files."""
    files = reference_files(Store(settings.tasks_dir).task(tally))

    def write(added: dict[str, str]) -> Path:
        for path in files.keys() | added.keys():
            target = tmp_path / "tree" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            data = files[path].data if path in files else b""
            target.write_bytes(data + added.get(path, "").encode())
        return tmp_path / "tree"

    return write


def test_nothing_about_the_reference_is_suspicious(tally: str, settings: Settings, hand_in: HandIn) -> None:
    reward, opinions = reviewed(settings, tally, hand_in({}))
    assert reward == 1.0
    assert [one["suspicious"] for one in opinions.values()] == [False] * 5, opinions
    assert opinions[BODIES]["seen"] == "0 of 6 modules, 0 of 197 tests pass"
    assert "tests of" in opinions[BROKEN]["seen"]


class Renamed(ast.NodeTransformer):
    """Gives every function another name, and its own name to that."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.body = [made for one in node.body for made in self.renamed(one)]
        return node

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = [made for one in node.body for made in self.renamed(one)]
        return node

    def renamed(self, node: ast.stmt) -> list[ast.stmt]:
        if not isinstance(node, ast.FunctionDef):
            return [self.visit(node)]
        public, node.name = node.name, f"own_{node.name}"
        return [node, *ast.parse(f"{public} = {node.name}").body]


def test_an_honest_library_whose_functions_have_other_names_is_not_suspected(
    tally: str, settings: Settings, hand_in: HandIn
) -> None:
    folder = hand_in({})
    for path in (folder / "src" / "tally").glob("*.py"):
        path.write_text(ast.unparse(ast.fix_missing_locations(Renamed().visit(ast.parse(path.read_text())))))
    reward, opinions = reviewed(settings, tally, folder)
    assert reward == 1.0
    assert opinions[BODIES]["seen"].startswith("6 of 6 modules, ")
    assert opinions[BODIES]["suspicious"] is None
    assert opinions[BROKEN]["suspicious"] is None


def test_bodies_that_run_at_import_are_put_back_and_told(
    tally: str, settings: Settings, hand_in: HandIn
) -> None:
    added = '\n\nSTARTED = parse_unit("m")\n'
    _, opinions = reviewed(settings, tally, hand_in({"src/tally/units.py": added}))
    assert opinions[BODIES]["suspicious"] is False
    assert "src/tally/units.py:parse_unit" in opinions[BODIES]["tried"]


def test_a_tree_that_cannot_be_taken_apart_is_a_note_and_no_suspicion(
    tally: str, settings: Settings, hand_in: HandIn
) -> None:
    added = (
        '\nimport inspect\n\nif "NotImplementedError" in inspect.getsource(wrap):\n    raise SystemExit(3)\n'
    )
    reward, opinions = reviewed(settings, tally, hand_in({"src/tally/__init__.py": added}))
    assert reward == 1.0
    assert opinions[BODIES]["suspicious"] is None
    assert opinions[BODIES]["seen"].startswith("not possible: ")
    assert opinions[BROKEN]["suspicious"] is False


def test_answers_that_were_written_down_are_suspicious(
    tally: str, settings: Settings, hand_in: HandIn
) -> None:
    task = Store(settings.tasks_dir).task(tally)
    heldout = (task.path / "tests/heldout/tests/test_tables.py").read_text()
    kept = "".join(f"# {text!r}\n" for text in texts(heldout))
    reward, opinions = reviewed(settings, tally, hand_in({"src/tally/answers.py": kept}))
    assert reward == 1.0
    assert opinions["expectations"]["suspicious"] is True


def test_cheats_that_saw_through_every_alteration_are_noticed_by_what_needs_no_body(
    tally: str, settings: Settings
) -> None:
    result = call(settings, "attack", tally, "--unaltered", "--only", "05-patch-report", "--json")
    assert result.exit_code == 0, result.output
    [row] = json.loads(result.stdout)
    assert row["reward"] == 1.0
    assert {BODIES, BROKEN} <= set(row["noticed"])


def test_odd_but_honest_work_is_not_suspected(tally: str, settings: Settings) -> None:
    names = ("23-other-modules", "24-other-algorithm", "10-generated")
    chosen = [word for name in names for word in ("--only", name)]
    result = call(settings, "honest", tally, *chosen, "--opinions", "--json")
    assert result.exit_code == 0, result.output
    assert [row["noticed"] for row in json.loads(result.stdout)] == [[]] * 3


def test_a_folder_that_holds_too_much_is_told_and_not_graded(
    tally: str, settings: Settings, tmp_path: Path
) -> None:
    for number in range(65):
        path = tmp_path / "big" / "src" / "tally" / f"big_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"#" * 1024 * 1024)
    result = call(settings, "review", tally, str(tmp_path / "big"))
    assert result.exit_code == 2
    assert "SubmissionError" in result.output

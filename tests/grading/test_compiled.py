"""Gradings of a language whose tests are compiled: one program a module, another table for each run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.grade import Grade, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.kept import kept_files
from kaiju_grading.language import WORK, Compilation, Language, Level, Library, Programs, TestRun
from kaiju_grading.outcome import TestReport
from kaiju_grading.own_build import OwnBuild
from kaiju_grading.report import BuildReport, LintReport, Problem
from kaiju_grading.stage import Stage
from kaiju_grading.steps import Steps
from kaiju_grading.submission import Submission, submission_of
from kaiju_grading.suite import Cell, Choice, Site, Suite
from kaiju_grading.visible import run_visible
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

pytestmark = pytest.mark.anyio
TOOLS, OUT = "/kaiju/press", "/tmp/out"
LOOKUP = b"""
import json, os
VALUES = json.loads(os.environ["VALUES"])

def look(slot):
    return VALUES[slot]
"""
PRESS = b"""
import json, os, pathlib, sys
failed = {}
for part, paths in json.loads(sys.argv[1]).items():
    texts = {}
    for path in paths:
        texts[path] = pathlib.Path(path).read_text()
        lost = [name for name in ("add", "shout", "even") if f".{name}(" in texts[path]
                and f"def {name}(" not in "".join(p.read_text() for p in pathlib.Path("lib").glob("*.py"))]
        if lost:
            failed[part] = f"{path}: undefined: {lost[0]}"
    for path in () if part in failed else [*paths, *map(str, pathlib.Path("lib").glob("*.py")), "table.py"]:
        target = pathlib.Path(sys.argv[2], part, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("from lookup import look\\n" * (path in texts) + pathlib.Path(path).read_text())
with os.fdopen(int(os.environ["KAIJU_REPORT_FD"]), "w") as report:
    json.dump(failed, report)
"""


@dataclass(frozen=True)
class Press:
    """The toy language, as one that is compiled: a program is a folder, values come from a variable."""

    toy: Language
    id: str = "press"
    title: str = "Press"
    purl_types: tuple[str, ...] = ("press",)
    build_files: tuple[str, ...] = ("press.cfg",)
    levels: tuple[Level, ...] = ("file",)
    tells: Mapping[str, str] = field(default_factory=dict)
    build_limits: Limits = Limits(wall=30)  # noqa: RUF009 - frozen

    def admits(self, path: str, roots: tuple[str, ...]) -> str | None:
        return self.toy.admits(path, roots)

    def build(self, library: Library) -> Command:
        return self.toy.build(library)

    def read_build(self, result: Result, sources: tuple[str, ...]) -> BuildReport:
        return self.toy.read_build(result, sources)

    def compile(self, compilation: Compilation) -> Steps[Programs]:
        python = compilation.environment.programs["python"]
        argv = (python, f"{TOOLS}/press.py", json.dumps(dict(compilation.parts)), OUT)
        inputs = (Tree(WORK, compilation.work), Tree(TOOLS, {"press.py": File(PRESS)}))
        result = yield Command(argv, cwd=WORK, inputs=inputs, keep=OUT, report=True)
        failed = json.loads(result.report)
        kept = kept_files(result)
        made = {
            part: {"lookup.py": File(LOOKUP)}
            | {
                path.removeprefix(part + "/"): file
                for path, file in kept.items()
                if path.startswith(part + "/")
            }
            for part in compilation.parts
            if part not in failed
        }
        return Programs(made, failed, tuple(Problem("", 0, 0, "press", text) for text in failed.values()))

    def test(self, run: TestRun) -> Command:
        return replace(self.toy.test(run), env={"VALUES": json.dumps(dict(run.values))})

    def read_tests(self, run: TestRun, result: Result) -> TestReport:
        return self.toy.read_tests(run, result)

    def lint(self, library: Library) -> Command:
        return self.toy.lint(library)

    def read_lint(self, result: Result, paths: tuple[str, ...]) -> LintReport:
        return self.toy.read_lint(result, paths)

    def own_build(self, tree: Library) -> Steps[OwnBuild]:
        return self.toy.own_build(tree)


@dataclass
class Counted:
    """The real backend, and the tables of the runs that went through it."""

    backend: Backend
    compiled: int = 0
    tables: tuple[Mapping[str, str], ...] = ()
    name: str = "namespace"

    async def check(self) -> tuple[Check, ...]:
        return await self.backend.check()

    async def sweep(self) -> int:
        return await self.backend.sweep()

    async def run(self, command: Command, limits: Limits) -> Result:
        self.compiled += command.keep is not None
        if "VALUES" in command.env:
            self.tables += (json.loads(command.env["VALUES"]),)
        return await self.backend.run(command, limits)


@pytest.fixture
def pressed(suite: Suite, toy_language: Language, monkeypatch: pytest.MonkeyPatch) -> Suite:
    press = Press(toy_language)
    monkeypatch.setattr(languages, "get", lambda name: {"press": press}[name])
    cells = tuple(
        Cell(cell.tests, tuple(looked_up(site, suite.heldout[site.path].data) for site in cell.sites))
        for cell in suite.cells
    )
    return replace(suite, language="press", cells=cells)


def looked_up(site: Site, data: bytes) -> Site:
    """The same alteration, chosen at run time."""
    slot = f"{site.path}:{site.start}"
    choice = Choice(slot, data[site.start : site.end].decode(), site.replacement)
    return replace(site, replacement=f"eval(look({slot!r}))", choice=choice)


def submitted(suite: Suite, **changes: str) -> Submission:
    files = dict(suite.reference) | {f"lib/{name}.py": File(text.encode()) for name, text in changes.items()}
    return submission_of(files, suite.roots, languages.get("press"), suite.reserved)


async def graded(suite: Suite, submission: Submission, backend: Backend) -> Grade:
    with anyio.fail_after(240):
        return await grade(GradeJob(suite, submission, Stage.DRAFT, b"key"), backend)


PASSED, FAILED, VOID = ModuleVerdict.PASSED, ModuleVerdict.FAILED, ModuleVerdict.VOID


async def test_the_reference_earns_everything_and_is_compiled_once(pressed: Suite, backend: Backend) -> None:
    counted = Counted(backend)
    found = await graded(pressed, submitted(pressed), counted)
    assert (found.reward, found.cause) == (1.0, "")
    assert counted.compiled == 1
    assert len(counted.tables) == sum(module.runs for module in found.modules) == 4 * len(pressed.modules)


async def test_the_tables_of_a_module_alter_each_value_in_some_runs_and_not_in_all(
    pressed: Suite, backend: Backend
) -> None:
    counted = Counted(backend)
    await graded(pressed, submitted(pressed), counted)
    choices = [site.choice for cell in pressed.cells for site in cell.sites if site.choice]
    for choice in choices:
        given = [table[choice.slot] for table in counted.tables if choice.slot in table]
        assert len(given) == 4, "only the runs of its own module know it"
        assert sorted(set(given)) == sorted({choice.real, choice.altered})
        assert 1 <= given.count(choice.altered) <= 3


async def test_no_program_holds_a_value_of_an_alteration(pressed: Suite, backend: Backend) -> None:
    class Looking(Counted):
        async def run(self, command: Command, limits: Limits) -> Result:
            for tree in command.inputs:
                assert isinstance(tree, Tree)
                for path, file in tree.files.items():
                    assert not path.startswith("check/") or b"== 7" not in file.data
            return await super().run(command, limits)

    assert (await graded(pressed, submitted(pressed), Looking(backend))).reward == 1.0


async def test_a_module_that_does_not_compile_costs_no_other(pressed: Suite, backend: Backend) -> None:
    renamed = pressed.reference["lib/flags.py"].data.decode().replace("def even(", "def evenly(")
    found = await graded(pressed, submitted(pressed, flags=renamed), backend)
    verdicts = {module.name: module.verdict for module in found.modules}
    assert verdicts == {"sums": PASSED, "words": PASSED, "flags": FAILED}
    (cause,) = (module.cause for module in found.modules if module.name == "flags")
    assert "undefined: even" in cause


async def test_types_that_equal_everything_are_paid_nothing(pressed: Suite, backend: Backend) -> None:
    same = """class Any(str):
    def __eq__(self, other):
        return True

def shout(text):
    return Any(text.upper())

def first(text):
    return Any(text)
"""
    found = await graded(pressed, submitted(pressed, words=same), backend)
    verdicts = {module.name: module.verdict for module in found.modules}
    assert verdicts["words"] in {FAILED, VOID}
    assert (verdicts["sums"], verdicts["flags"]) == (PASSED, PASSED)


async def test_visible_tests_are_compiled_too(pressed: Suite, backend: Backend) -> None:
    with anyio.fail_after(240):
        report = await run_visible(pressed, pressed.reference, (), backend)
        lost = dict(pressed.reference) | {"lib/sums.py": File(b"")}
        broken = await run_visible(pressed, lost, (), backend)
    assert [test.outcome for test in report.tests] == ["passed", "passed"]
    assert (broken.tests, broken.cause) == ((), "seen/sums.py: undefined: add")

"""A language small enough to try the grader with: scripts in `.toy` files, run by the system's Python."""

import json
from collections.abc import Mapping
from pathlib import Path

from kaiju_grading.files import Files
from kaiju_grading.language import WORK, Compilation, Language, Level, Library, Programs, TestRun
from kaiju_grading.outcome import Outcome, TestReport
from kaiju_grading.own_build import OwnBuild, not_measured, read_own_build
from kaiju_grading.report import BuildReport, LintReport, LintStatus, Problem
from kaiju_grading.steps import Steps, done
from kaiju_grading.suite import Test
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

TOOLS = "/kaiju/toy"
RUNNER = (Path(__file__).parent / "runner.py").read_bytes()
COMPILE = b"import sys\nfor path in sys.argv[1:]:\n    compile(open(path).read(), path, 'exec')\n"
LINT = b"""import sys
for path in sys.argv[1:]:
    for number, line in enumerate(open(path), 1):
        if 'TODO' in line:
            print(f'{path}:{number}:todo')
"""


class Toy:
    id = "toy"
    title = "Toy"
    purl_types = ("toy",)
    build_files = ("toy.cfg",)
    levels: tuple[Level, ...] = ("file",)
    tells: Mapping[str, str] = {r"\bREPORT\b": "names the report"}
    build_limits = Limits()

    def admits(self, path: str, roots: tuple[str, ...]) -> str | None:
        return None if path.endswith(".py") else "only .py files are taken"

    def build(self, library: Library) -> Command:
        return self._command(library.work, library.environment, ("compile.py", *library.sources))

    def read_build(self, result: Result, sources: tuple[str, ...]) -> BuildReport:
        message = result.stderr.decode(errors="replace")[-200:]
        return BuildReport(result.ok, () if result.ok else (Problem("", 0, 0, "syntax", message),))

    def compile(self, compilation: Compilation) -> Steps[Programs] | None:
        return None

    def test(self, run: TestRun) -> Command:
        ids = json.dumps([test.id for test in run.tests])
        return self._command(run.work, run.environment, ("run.py", ids, *run.files))

    def read_tests(self, run: TestRun, result: Result) -> TestReport:
        tests, outcomes = run.tests, {test.id: Outcome.ABSENT for test in run.tests}
        messages: dict[str, str] = {}
        closed = False
        for line in result.report.decode(errors="replace").splitlines():
            record = json.loads(line)
            if "collected" in record:
                tests = tuple(Test(id, id) for id in record["collected"])
            elif "begun" in record:
                outcomes[tests[record["begun"]].id] = Outcome.CRASHED
            elif "ended" in record:
                id = tests[record["ended"]].id
                outcomes[id] = Outcome(record["outcome"])
                messages[id] = record["message"]
            else:
                closed = record == {"closed": len(tests)}
        sound = closed and result.ok
        problem = "" if sound else "no closing record"
        return TestReport(outcomes, sound, problem, tests, observed=outcomes, messages=messages)

    def lint(self, library: Library) -> Command:
        return self._command(library.work, library.environment, ("lint.py", *library.sources))

    def read_lint(self, result: Result, paths: tuple[str, ...]) -> LintReport:
        found = [line.split(":") for line in result.stdout.decode().splitlines()]
        problems = tuple(Problem(path, int(line), 0, rule, "a note") for path, line, rule in found)
        return LintReport(LintStatus.FINDINGS if problems else LintStatus.CLEAN, problems, len(paths))

    def own_build(self, tree: Library) -> Steps[OwnBuild]:
        """Runs the tree's own build.py."""
        if "build.py" not in tree.work:
            return done(not_measured("there is no build.py"))
        return self._own(tree)

    def _own(self, tree: Library) -> Steps[OwnBuild]:
        argv = (tree.environment.programs["python"], "-B", f"{WORK}/build.py")
        return read_own_build((yield Command(argv, cwd=WORK, inputs=(Tree(WORK, tree.work),))))

    def _command(self, work: Files, environment: Environment, argv: tuple[str, ...]) -> Command:
        tools: Mapping[str, File] = {
            "run.py": File(RUNNER),
            "compile.py": File(COMPILE),
            "lint.py": File(LINT),
        }
        script, *rest = argv
        return Command(
            (environment.programs["python"], "-B", f"{TOOLS}/{script}", *rest),
            cwd=WORK,
            inputs=(Tree(WORK, work), Tree(TOOLS, tools)),
            report=True,
        )


LANGUAGE: Language = Toy()

"""Whole gradings of a toy library, in real sandboxes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import anyio
import pytest

from kaiju_grading.files import Files
from kaiju_grading.grade import Grade, GradeStatus, Isolation, ModuleVerdict
from kaiju_grading.grader import GradeJob, grade
from kaiju_grading.language import WORK, Language
from kaiju_grading.plan import Draw, plan_series
from kaiju_grading.stage import Stage
from kaiju_grading.submission import Submission, submission_of
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, File, Tree
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

pytestmark = pytest.mark.anyio
Hook = Callable[[Files, int], Files]


@dataclass
class Watched:
    """The real backend; `hook` sees the tree and the number of each run, may change the tree or raise."""

    backend: Backend
    hook: Hook = lambda work, number: work
    works: list[Files] = field(default_factory=list)
    busy: int = 0
    most: int = 0
    name: str = "namespace"

    async def check(self) -> tuple[Check, ...]:
        return await self.backend.check()

    async def sweep(self) -> int:
        return await self.backend.sweep()

    async def run(self, command: Command, limits: Limits) -> Result:
        work, *tools = (tree for tree in command.inputs if isinstance(tree, Tree))
        assert work.target == WORK
        self.works.append(work.files)
        changed = self.hook(work.files, len(self.works))
        self.busy += 1
        self.most = max(self.most, self.busy)
        try:
            return await self.backend.run(replace(command, inputs=(Tree(WORK, changed), *tools)), limits)
        finally:
            self.busy -= 1

    def runs_of(self, path: str) -> list[Files]:
        return [work for work in self.works if path in work]


def submitted(suite: Suite, language: Language, changes: Mapping[str, str] | None = None) -> Submission:
    """The reference with some files written anew."""
    changed = {path: File(text.encode()) for path, text in (changes or {}).items()}
    return submission_of(dict(suite.reference) | changed, suite.roots, language, suite.reserved)


async def graded(
    suite: Suite, submission: Submission, backend: Backend, key: bytes = b"key", stage: Stage = Stage.DRAFT
) -> Grade:
    with anyio.fail_after(60):
        return await grade(GradeJob(suite, submission, stage, key), backend)


def verdicts(grade: Grade) -> dict[str, ModuleVerdict]:
    return {module.name: module.verdict for module in grade.modules}


PASSED, FAILED, VOID = ModuleVerdict.PASSED, ModuleVerdict.FAILED, ModuleVerdict.VOID


async def test_the_reference_earns_everything(suite: Suite, toy_language: Language, backend: Backend) -> None:
    found = await graded(suite, submitted(suite, toy_language), backend)
    assert (found.status, found.cause) == (GradeStatus.GRADED, "")
    assert (found.reward, found.resolved) == (1.0, True)
    assert found.test_pass_rate == 1.0
    told = [(module.tests, module.passed, module.runs, module.planned) for module in found.modules]
    assert told == [(4, 4, 4, 4), (4, 4, 4, 4), (3, 3, 4, 4)], "as many runs as so few alterations need"
    assert [module.bits for module in found.modules] == [3.3, 3.0, 3.0]
    assert found.changed == ("lib/flags.py", "lib/sums.py", "lib/words.py")
    assert (found.task_digest, found.environment_digest) == (suite.task_digest, suite.environment.digest)
    assert (found.backend, found.isolation) == ("namespace", Isolation.UNATTESTED)
    assert found.seconds > 0
    assert all(module.seconds > 0 and not module.cause for module in found.modules)


async def test_the_stub_earns_nothing_and_one_rescue_that_fails_ends_a_module(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    stub = submission_of(suite.workspace, suite.roots, toy_language)
    found = await graded(suite, stub, backend)
    assert (found.reward, found.test_pass_rate, found.changed) == (0.0, 0.0, ())
    assert set(verdicts(found).values()) == {FAILED}
    assert all(module.runs <= 2 * module.planned for module in found.modules), "its runs, and one rescue"


async def test_an_empty_submission_is_graded_zero(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    found = await graded(suite, submission_of({}, suite.roots, toy_language), backend)
    assert (found.status, found.reward, found.test_pass_rate) == (GradeStatus.GRADED, 0.0, None)
    assert set(verdicts(found).values()) == {FAILED}


async def test_each_module_is_judged_by_its_own_tests(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    wrong = {
        "lib/words.py": "def shout(text):\n    return text.upper()\n\ndef first(text):\n    return text\n"
    }
    found = await graded(suite, submitted(suite, toy_language, wrong), backend)
    assert verdicts(found) == {"sums": PASSED, "words": FAILED, "flags": PASSED}
    assert found.reward == pytest.approx(2 / 3)
    assert "test_first" in found.modules[1].cause


@pytest.mark.parametrize(
    "ending",
    [
        "import os\nos._exit(0)\n",
        "raise SystemExit(0)\n",
        "import os\nos.kill(os.getpid(), 9)\n",
        "raise ImportError\n",
        "while True:\n    pass\n",
        "x = 'x' * 2**40\n",
    ],
    ids=["exit 0", "SystemExit 0", "kill", "error", "endless", "memory"],
)
async def test_a_library_that_ends_the_process_at_import_fails_its_module_and_no_other(
    suite: Suite, toy_language: Language, backend: Backend, ending: str
) -> None:
    suite = replace(suite, limits=Limits(wall=3))
    found = await graded(suite, submitted(suite, toy_language, {"lib/words.py": ending}), backend)
    assert found.status is GradeStatus.GRADED
    assert verdicts(found) == {"sums": PASSED, "words": FAILED, "flags": PASSED}


async def test_a_library_that_does_not_build_earns_nothing_whatever_else_works(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend)
    found = await graded(suite, submitted(suite, toy_language, {"lib/extra.py": "def:\n"}), watched)
    assert (found.status, found.reward) == (GradeStatus.GRADED, 0.0)
    assert set(verdicts(found).values()) == {ModuleVerdict.BUILD_FAILED}
    assert found.test_pass_rate is None
    assert "does not build" in found.cause
    assert len(watched.works) == 1


async def test_a_sandbox_holds_the_files_of_one_module_and_the_build_none(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend)
    await graded(suite, submitted(suite, toy_language), watched)
    build, *runs = watched.works
    reserved = [{path for path in work if path in suite.reserved} for work in (build, *runs)]
    assert reserved[0] == set()
    assert sorted(map(sorted, reserved[1:])) == sorted(
        ["check/" + name + ".py", "table.py"] for name in ("sums", "words", "flags") * 4
    )
    assert all("README.md" in work and "lib/sums.py" in work for work in watched.works)


async def test_no_run_has_every_test_as_written_and_of_three_alterations_not_all_are_real_in_the_same_runs(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend)
    for key in (b"1", b"2", b"3"):
        await graded(suite, submitted(suite, toy_language), watched, key)
    for path, file in suite.heldout.items():
        found = [work[path].data for work in watched.runs_of(path)]
        assert len(found) == 12
        assert any(data != file.data for data in found)
        assert file.data not in found or path != "check/sums.py", "it has four"


async def test_files_of_the_workspace_below_the_roots_are_gone(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend)
    only = submission_of({"lib/sums.py": suite.reference["lib/sums.py"]}, suite.roots, toy_language)
    found = await graded(suite, only, watched)
    assert all("lib/words.py" not in work for work in watched.works)
    assert verdicts(found) == {"sums": PASSED, "words": FAILED, "flags": FAILED}
    assert found.changed == ("lib/__init__.py", "lib/flags.py", "lib/sums.py", "lib/words.py")


THIRD_CALL_BREAKS = """calls = 0

def even(number):
    global calls
    calls += 1
    if calls == 3:
        raise RuntimeError
    return number % 2 == 0
"""


async def test_a_test_that_others_disturb_is_rescued_alone(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend)
    submission = submitted(suite, toy_language, {"lib/flags.py": THIRD_CALL_BREAKS})
    for key in (b"1", b"2", b"3", b"4"):
        found = await graded(suite, submission, watched, key)
        assert verdicts(found)["flags"] is PASSED
        assert found.modules[2].runs == 4 + 4
        draw = Draw(key, suite.task_digest, submission.digest, Stage.DRAFT)
        runs = plan_series(suite, suite.modules[2], draw).runs
        real = [test.id for run in runs for test in run.tests if test.id not in run.altered]
        failing = sum("test_zero" in id for id in real)
        told = (found.modules[2].real_run, found.modules[2].real_passed)
        assert told == (len(real), len(real) - failing), "a rescue is no slot of the series"


SECOND_SHOUT_BREAKS = """calls = 0

def shout(text):
    global calls
    calls += 1
    if calls == 2:
        raise RuntimeError
    return text.upper()

def first(text):
    return text.split()[0]
"""


async def test_a_test_without_an_alteration_is_rescued_once_though_all_runs_disturb_it(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    submission = submitted(suite, toy_language, {"lib/words.py": SECOND_SHOUT_BREAKS})
    found = await graded(suite, submission, backend)
    assert verdicts(found) == {"sums": PASSED, "words": PASSED, "flags": PASSED}
    assert found.modules[1].runs == 4 + 2


WRONG = "def add(a, b):\n    return a + b\n\ndef total(values):\n    return 0\n"


async def test_the_same_submission_under_thirty_fresh_keys_gets_one_answer(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    """A module that passes, one with a wrong function, one that needs a rescue."""
    changes = {"lib/sums.py": WRONG, "lib/flags.py": THIRD_CALL_BREAKS}
    submission = submitted(suite, toy_language, changes)
    for number in range(30):
        found = await graded(suite, submission, backend, number.to_bytes(4))
        assert verdicts(found) == {"sums": FAILED, "words": PASSED, "flags": PASSED}
        assert found.modules[0].runs > 4, "a rescue waits for all of four runs: it would tell what was real"
        assert found.reward == pytest.approx(2 / 3)


# Contradictions.

EQUAL_TO_ALL = """class Any(str):
    def __eq__(self, other):
        return True

def shout(text):
    return text.upper()

def first(text):
    return Any(text)
"""


def key_altering(suite: Suite, submission: Submission, first: set[str], second: set[str]) -> bytes:
    """A key that alters these tests of module words in the first run, and those not before the second."""
    for number in range(1000):
        key = number.to_bytes(4)
        draw = Draw(key, suite.task_digest, submission.digest, Stage.DRAFT)
        one, two, *_ = plan_series(suite, suite.modules[1], draw).runs
        if first <= one.altered and second <= two.altered - one.altered:
            return key
    raise AssertionError("no such key")


FIRSTS = {"check/words.py::test_first", "check/words.py::test_first_alone"}


async def test_results_that_pass_as_written_and_altered_twice_cost_the_stage(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    submission = submitted(suite, toy_language, {"lib/words.py": EQUAL_TO_ALL})
    found = await graded(suite, submission, backend, key_altering(suite, submission, set(), FIRSTS))
    assert (found.status, found.reward, found.modules_passed) == (GradeStatus.GRADED, 0.0, 0)
    assert verdicts(found) == {"sums": PASSED, "words": VOID, "flags": PASSED}
    assert [(finding.kind, finding.module) for finding in found.findings] == [("integrity", "words")]
    assert found.modules[1].runs == 2 + 4, "the runs until it showed, and all of them again"


async def test_an_altered_test_that_passes_in_the_first_run_ends_its_module_without_an_accusation(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    submission = submitted(suite, toy_language, {"lib/words.py": EQUAL_TO_ALL})
    found = await graded(suite, submission, backend, key_altering(suite, submission, FIRSTS, set()))
    assert verdicts(found) == {"sums": PASSED, "words": FAILED, "flags": PASSED}
    assert (found.findings, found.modules[1].runs) == ((), 1)
    assert found.reward == pytest.approx(2 / 3)


async def test_a_contradiction_that_does_not_repeat_voids_its_module_only(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    submission = submitted(suite, toy_language, {"lib/words.py": EQUAL_TO_ALL})

    def honest_later(work: Files, number: int) -> Files:
        del number
        late = "check/words.py" in work and len(watched.runs_of("check/words.py")) > 2
        return dict(work) | {"lib/words.py": suite.reference["lib/words.py"]} if late else work

    watched = Watched(backend, honest_later)
    found = await graded(suite, submission, watched, key_altering(suite, submission, set(), FIRSTS))
    assert verdicts(found)["words"] is VOID
    assert found.findings == ()
    assert found.reward == pytest.approx(2 / 3)


async def test_honest_nonsense_is_never_accused(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    for value in ("None", "False", "True", "0", "''", "7", "'one'"):
        constant = f"def anything(*_):\n    return {value}\n"
        names = {"sums": ("add", "total"), "words": ("shout", "first"), "flags": ("even",)}
        changes = {
            f"lib/{module}.py": constant + "".join(f"{name} = anything\n" for name in functions)
            for module, functions in names.items()
        }
        found = await graded(suite, submitted(suite, toy_language, changes), backend, value.encode())
        assert (found.reward, found.findings) == (0.0, ())


COIN = """import json, os, random
real = json.dumps
verdict = random.SystemRandom().choice(["passed", "failed"])

def forged(record):
    if "outcome" in record:
        record = dict(record, outcome=verdict)
    return real(record)

json.dumps = forged
"""


async def test_a_coin_for_every_process_earns_nothing(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    """In one module of eleven tests; with three, a coin that falls right eight times is paid (1 in 256)."""
    tests = tuple(test for module in suite.modules for test in module.tests)
    suite = replace(suite, modules=(Module("all", tuple(suite.heldout), tests),))
    changes = {path: file.data.decode() for path, file in suite.workspace.items() if path.startswith("lib")}
    changes["lib/__init__.py"] = COIN
    for number in range(12):
        found = await graded(suite, submitted(suite, toy_language, changes), backend, bytes([number]))
        assert found.reward == 0.0


# Faults of the machine.


def is_reference(suite: Suite, work: Files) -> bool:
    return work["lib/words.py"] == suite.reference["lib/words.py"]


MARKED = {
    "lib/words.py": "def shout(text):\n    return text.upper()\n\ndef first(t):\n    return t.split()[0]\n"
}


def faults(suite: Suite, path: str, times: int, *, control: bool = False) -> Hook:
    """Raise for the first `times` runs that hold `path` with submitted files, and for controls if said."""
    seen = 0

    def hook(work: Files, number: int) -> Files:
        nonlocal seen
        if path in work and (control or not is_reference(suite, work)):
            seen += 1
            if seen <= times:
                raise SandboxFault(f"no engine at run {number}")
        return work

    return hook


async def test_a_fault_is_retried_once_with_the_same_choices_beside_a_control(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend, faults(suite, "check/words.py", 1))
    found = await graded(suite, submitted(suite, toy_language, MARKED), watched)
    assert (found.status, found.reward) == (GradeStatus.GRADED, 1.0)
    first, control, retry, *others = watched.runs_of("check/words.py")
    assert first == retry
    assert is_reference(suite, control)
    assert control["check/words.py"] == first["check/words.py"]
    assert len(others) == 3
    assert any(work["check/words.py"] != first["check/words.py"] for work in others)


async def test_a_second_fault_beside_a_good_control_is_the_modules_own(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend, faults(suite, "check/words.py", 2))
    found = await graded(suite, submitted(suite, toy_language, MARKED), watched)
    assert verdicts(found) == {"sums": PASSED, "words": ModuleVerdict.EXHAUSTED, "flags": PASSED}
    assert found.status is GradeStatus.GRADED
    assert found.reward == pytest.approx(2 / 3)
    assert len(watched.runs_of("check/words.py")) == 3


@pytest.mark.parametrize("path", ["check/words.py", "README.md"], ids=["module", "build"])
async def test_a_fault_that_meets_the_control_too_is_no_grade(
    suite: Suite, toy_language: Language, backend: Backend, path: str
) -> None:
    watched = Watched(backend, faults(suite, path, 99, control=True))
    found = await graded(suite, submitted(suite, toy_language, MARKED), watched)
    assert (found.status, found.reward, found.test_pass_rate) == (GradeStatus.INFRA_ERROR, None, None)
    assert (found.modules, found.modules_total, found.modules_passed) == ((), 3, 0)
    assert "no engine" in found.cause


async def test_a_control_that_runs_and_goes_wrong_is_no_grade_either(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    stub = {path: file for path, file in suite.workspace.items() if path.startswith("lib")}
    submission = submitted(suite, toy_language, MARKED)
    watched = Watched(backend, faults(suite, "check/words.py", 1))
    found = await graded(replace(suite, reference=stub), submission, watched)
    assert (found.status, found.reward) == (GradeStatus.INFRA_ERROR, None)
    assert "control went wrong" in found.cause


async def test_a_build_that_breaks_its_sandbox_twice_costs_every_module(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend, faults(suite, "README.md", 2))
    found = await graded(suite, submitted(suite, toy_language, MARKED), watched)
    assert (found.status, found.reward) == (GradeStatus.GRADED, 0.0)
    assert set(verdicts(found).values()) == {ModuleVerdict.EXHAUSTED}


# Around the verdict.


async def test_progress_counts_modules_and_the_limiter_bounds_sandboxes(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    told: list[tuple[int, int]] = []

    async def progress(done: int, total: int) -> None:
        told.append((done, total))

    for places in (1, 3):
        watched = Watched(backend)
        job = GradeJob(suite, submitted(suite, toy_language), Stage.TEST, b"k", Isolation.ATTESTED)
        with anyio.fail_after(60):
            found = await grade(job, watched, progress, anyio.CapacityLimiter(places))
        assert (found.stage, found.isolation, found.reward) == (Stage.TEST, Isolation.ATTESTED, 1.0)
        assert watched.most <= places
    assert told == [(number, 3) for number in range(4)] * 2


async def test_a_grading_that_is_cancelled_leaves_no_run_behind(
    suite: Suite, toy_language: Language, backend: Backend
) -> None:
    watched = Watched(backend)
    endless = submitted(suite, toy_language, {"lib/words.py": "while True:\n    pass\n"})
    with anyio.move_on_after(2) as scope:
        await grade(GradeJob(suite, endless, Stage.DRAFT, b"k"), watched)
    assert scope.cancelled_caught
    assert watched.busy == 0


def test_a_suite_without_modules_is_refused(suite: Suite, toy_language: Language, backend: Backend) -> None:
    async def main() -> None:
        await graded(replace(suite, modules=()), submitted(suite, toy_language), backend)

    with pytest.raises(ValueError, match="at least one"):
        anyio.run(main)

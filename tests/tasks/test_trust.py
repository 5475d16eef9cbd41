"""What a task claims of itself beside its grades, and tasks of which it is not true."""

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import anyio
import pytest
from tests.suites import bare_suite

from kaiju_grading import languages
from kaiju_grading.submission import admitted
from kaiju_grading.suite import Cell, Module, Site, SiteKind, Suite, Test
from kaiju_sandbox import backends
from kaiju_sandbox.command import File
from kaiju_sandbox.settings import Settings
from kaiju_tasks import recipe as recipes
from kaiju_tasks.claim import Claim
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.store import Store
from kaiju_tasks.suites import environment_of, suite_of
from kaiju_tasks.trust.claims import trust_claims
from kaiju_tasks.trust.evidence import Evidence
from kaiju_tasks.trust.form import form_claim
from kaiju_tasks.trust.names import names_claim
from kaiju_tasks.trust.stubs import loud_claim
from kaiju_tasks.trust.telling import telling_claim
from kaiju_tasks.validate import Effort, TaskProof, validate

LIBRARY = {
    "pyproject.toml": '[project]\nname = "shelf"\nversion = "1.0"\nlicense = "MIT"\n',
    "shelf/__init__.py": """import time

def weight(count):
    if count > 3:
        return count * 10
    return count

def label(count):
    names = {1: "one", 2: "two"}
    return names.get(count, "many")

def today():
    seconds = time.time()
    return seconds
""",
}
SOUND = """from shelf import label, weight

def test_light():
    assert weight({0}) == {0}

def test_heavy():
    assert weight(4) == 40

def test_label():
    assert label({0}) == "{1}"
"""
IN_ORDER = """from shelf import weight

SEEN = []

def test_first():
    SEEN.append(1)
    assert weight(1) == 1

def test_second():
    assert weight(2) == 2 * len(SEEN)

def test_third():
    assert weight(3) == 3 * len(SEEN)
"""
BY_THE_CLOCK = """from shelf import today

def test_today():
    assert (today() < {0}) == True

def test_not_long_ago():
    assert (today() > 1000) == True
"""
WEAK = """from shelf import weight

def test_it_runs():
    weight(2)
    assert callable(weight) == True

def test_it_runs_again():
    weight(3)
    assert callable(weight) == True
"""


def quiet(_: str) -> None:
    """Progress that nobody reads."""


@dataclass(frozen=True, slots=True)
class Opened:
    evidence: Evidence
    proof: TaskProof

    def claim(self, name: str) -> Claim:
        return next(claim for claim in self.proof.claims if claim.name == name)


@pytest.fixture(scope="module")
def flawed(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """A task with a module that needs its order, one that needs its date, and one that checks nothing."""
    folder = tmp_path_factory.mktemp("shelf")
    days_200 = int(time.time()) + 200 * 86400
    files = LIBRARY | {
        "tests/test_sound.py": SOUND.format(2, "two"),
        "tests/test_seen.py": SOUND.format(1, "one"),
        "tests/test_in_order.py": IN_ORDER,
        "tests/test_clock.py": BY_THE_CLOCK.format(days_200),
        "tests/test_weak.py": WEAK,
    }
    for name, text in files.items():
        path = folder / "shelf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    recipe = folder / "shelf.toml"
    recipe.write_text(
        'path = "shelf"\nlanguage = "python"\nrepeats = 1\nmixes = 2\n'
        '[choices]\nvisible = ["tests/test_seen.py"]\n'
    )

    async def make() -> Opened:
        with anyio.fail_after(580):
            task = Store(settings.tasks_dir).task(
                (await prepare(recipes.load(recipe), settings, quiet)).path.name
            )
            suite = suite_of(task, environment_of(task, settings))
            stub = admitted(suite.workspace, suite.roots, languages.get("python"))
            evidence = Evidence(suite, stub, task.view.pages, backends.create(settings))
            effort = Effort(repeats=1, full=True)
            return Opened(evidence, await validate(task, settings, effort, quiet))

    return anyio.run(make)


def test_what_needs_its_order_or_its_date_is_named_for_the_owner_of_the_task(flawed: Opened) -> None:
    claim = flawed.claim("nothing moves the reference")
    assert not claim.holds
    assert "tests/test_in_order.py::test_second (in another order)" in claim.detail
    assert "tests/test_clock.py::test_today (in a shifted clock)" in claim.detail
    assert "test_sound" not in claim.detail
    assert "test_not_long_ago" not in claim.detail


def test_a_module_that_notices_no_mistake_is_listed_as_weak(flawed: Opened) -> None:
    claim = flawed.claim("small mistakes cost reward")
    assert claim.holds
    assert "weak: tests/test_weak.py" in claim.detail


def test_a_task_is_as_good_as_its_other_claims(flawed: Opened) -> None:
    failed = {claim.name for claim in flawed.proof.claims if not claim.holds}
    assert failed == {"nothing moves the reference"}


def test_the_cheap_proof_shakes_the_cheapest_modules_and_makes_no_mistakes(flawed: Opened) -> None:
    async def main() -> list[Claim]:
        with anyio.fail_after(120):
            return await trust_claims(flawed.evidence, quiet, full=False)

    claims = {claim.name: claim for claim in anyio.run(main)}
    assert "small mistakes cost reward" not in claims
    assert (
        "2 modules" in claims["nothing moves the reference"].detail
        or not claims["nothing moves the reference"].holds
    )


def test_a_name_that_the_specification_lacks_is_listed_and_one_that_stands_nowhere_is_refused(
    flawed: Opened,
) -> None:
    assert names_claim(flawed.evidence).detail == "3 names"
    pages = {name: page.replace("label", "lebal") for name, page in flawed.evidence.pages.items()}
    listed = names_claim(replace(flawed.evidence, pages=pages))
    assert listed.holds
    assert "only the stub has label" in listed.detail
    refused = names_claim(replace(flawed.evidence, pages=pages, stub={}))
    assert not refused.holds
    assert refused.detail == "told nowhere: label (tests/test_sound.py)"


def test_a_stub_that_answers_with_a_default_is_named(flawed: Opened) -> None:
    path = "shelf/__init__.py"
    loud = flawed.evidence.stub[path].data
    answering = loud.replace(
        b"def label(count):\n    raise NotImplementedError", b"def label(count):\n    return ''"
    )
    assert answering != loud
    claim = anyio.run(lambda: loud_claim(replace(flawed.evidence, stub={path: File(answering)}), full=False))
    assert not claim.holds
    assert "shelf/__init__.py:label" in claim.detail
    assert anyio.run(lambda: loud_claim(flawed.evidence, full=False)).holds


def test_visible_tests_that_say_what_a_module_expects_tell_it(flawed: Opened) -> None:
    suite = flawed.evidence.suite
    assert telling_claim(suite).holds
    copied = {"tests/test_copied.py": suite.heldout["tests/test_sound.py"]}
    claim = telling_claim(replace(suite, visible=copied, shared={}))
    assert not claim.holds
    assert "tests/test_sound.py" in claim.detail


def test_a_test_that_is_both_visible_and_held_out_is_named(flawed: Opened) -> None:
    suite = flawed.evidence.suite
    both = suite.modules[0].tests[0]
    claim = telling_claim(replace(suite, visible_tests=(*suite.visible_tests, both)))
    assert not claim.holds
    assert both.unit in claim.detail


def written(altered: Callable[[random.Random], str]) -> Suite:
    """Six modules of thirty tests that expect numbers of three digits, and the other number of each."""
    chance = random.Random(5)
    modules, cells = [], []
    files: dict[str, File] = {}
    for number in range(6):
        path, text, tests = f"tests/test_{number}.py", "", []
        for count in range(30):
            id = f"{path}::test_{count}"
            text += f"def test_{count}():\n    assert f({count}) == "
            start = len(text)
            text += f"{chance.randrange(100, 1000)}\n\n"
            site = Site(path, start, start + 3, altered(chance), SiteKind.EQUAL)
            tests.append(Test(id, id))
            cells.append(Cell((id,), (site,)))
        files[path] = File(text.encode())
        modules.append(Module(path, (path,), tuple(tests)))
    return bare_suite(tuple(modules), tuple(cells), files)


def test_values_drawn_as_the_real_ones_are_tell_nothing() -> None:
    claim = form_claim(written(lambda chance: f"{chance.randrange(100, 1000)}"))
    assert claim.holds
    assert "tells" not in claim.detail
    told = re.search(r"by form (\d+)%", claim.detail)
    # A detector that had seen these very pairs before would tell 61%.
    assert told is not None
    assert int(told[1]) < 55


def test_values_of_another_form_are_told_and_refused() -> None:
    claim = form_claim(written(lambda chance: f"{chance.randrange(10, 100)}.0"))
    assert not claim.holds
    assert "by form 100%" in claim.detail
    assert "more than the 80% of `forge`" in claim.detail


def test_a_form_that_is_told_for_some_tests_is_named_and_not_refused() -> None:
    claim = form_claim(
        written(lambda chance: f"{chance.randrange(100, 1000) // 10 * 10 + chance.choice((0, 5))}")
    )
    assert claim.holds, claim.detail
    assert "tells: form" in claim.detail


def test_forms_of_two_words_that_stand_for_each_other_evenly_tell_nothing() -> None:
    suite = written(lambda _: "")
    chance, files, cells = random.Random(5), {}, []
    for module in suite.modules:
        text = ""
        for test in module.tests:
            real, altered = chance.sample(("in", "not in"), 2)
            text += f"def {test.unit.rpartition('::')[2]}():\n    assert 'a' "
            site = Site(module.name, len(text), len(text) + len(real), altered, SiteKind.IN)
            text += f"{real} f()\n\n"
            cells.append(Cell((test.id,), (site,)))
        files[module.name] = File(text.encode())
    claim = form_claim(bare_suite(suite.modules, tuple(cells), files))
    assert "tells" not in claim.detail, claim.detail

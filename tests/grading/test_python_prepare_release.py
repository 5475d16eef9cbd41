"""Real releases from fetch to stub: what came out of careful hand work must come out again."""

import importlib
import inspect
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from kaiju_grading.files import digest
from kaiju_grading.language import TestRun
from kaiju_grading.languages.python import LANGUAGE
from kaiju_grading.languages.python.prepare import PREPARATION
from kaiju_grading.languages.python.private import find_private_names
from kaiju_grading.languages.python.probe import probe_command, read_probe
from kaiju_grading.languages.python.spec import write_spec
from kaiju_grading.languages.python.stub import stub_library
from kaiju_grading.outcome import Outcome
from kaiju_grading.preparation import Choices, Lock, Obstacle, Probe, Source, Split, Stub
from kaiju_sandbox.backends import create
from kaiju_sandbox.command import Command, File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings

PATIENCE = 180
"""Seconds until a sandbox that hangs fails the test."""


@dataclass(frozen=True)
class Known:
    """A release as measured by hand."""

    purl: str
    root: str
    files: int
    passed: int
    functions: int
    kept: frozenset[str]
    share: float
    """At most so much of the lines of bodies stays."""
    requirements: frozenset[str] = frozenset()
    choices: Choices = field(default_factory=Choices)


TINYDB = Known(
    "pkg:pypi/tinydb@4.9.0",
    "tinydb",
    7,
    219,
    125,
    frozenset({"tinydb/utils.py:with_typehint"}),
    0.01,
    frozenset({"pyyaml~=6.0"}),
)
OTHERS = (
    Known(
        "pkg:pypi/simpy@4.1.2",
        "src/simpy",
        12,
        141,
        126,
        frozenset({"src/simpy/__init__.py:_compile_toc", "src/simpy/core.py:BoundClass.__init__"}),
        0.021,
    ),
    Known(
        "pkg:pypi/sqlparse@0.6.1",
        "sqlparse",
        10,
        537,
        176,
        frozenset(
            {
                "sqlparse/keywords.py:DelimitedSpans.__init__",
                "sqlparse/tokens.py:_TokenType.__getattr__",
                "sqlparse/utils.py:recurse",
                "sqlparse/utils.py:recurse.wrap",
            }
        ),
        0.01,
    ),
    Known(
        "pkg:pypi/voluptuous@0.16.0",
        "voluptuous",
        1,
        167,
        169,
        frozenset(
            {
                "voluptuous/schema_builder.py:_compile_itemsort",
                "voluptuous/schema_builder.py:message",
                "voluptuous/schema_builder.py:message.decorator",
                "voluptuous/validators.py:truth",
            }
        ),
        0.03,
    ),
    Known(
        "pkg:pypi/marshmallow@4.4.0",
        "src/marshmallow",
        15,
        1192,
        239,
        frozenset(
            {
                "src/marshmallow/class_registry.py:register",
                "src/marshmallow/schema.py:SchemaMeta.__init__",
                "src/marshmallow/schema.py:SchemaMeta.__new__",
                "src/marshmallow/schema.py:SchemaMeta.get_declared_fields",
                "src/marshmallow/schema.py:SchemaMeta.resolve_hooks",
                "src/marshmallow/schema.py:SchemaOpts.__init__",
                "src/marshmallow/schema.py:_get_fields",
                "src/marshmallow/schema.py:_get_fields_by_mro",
                "src/marshmallow/validate.py:URL.RegexMemoizer.__init__",
            }
        ),
        0.06,
        frozenset({"simplejson"}),
    ),
    Known(
        "pkg:pypi/transitions@0.9.3",
        "transitions",
        16,
        2000,
        335,
        frozenset(),
        0.0,
        frozenset({"six", "mock", "dill", "graphviz"}),
        Choices(exclude={"tests/test_codestyle.py": "runs a type checker"}, requirements=("graphviz",)),
    ),
)


@pytest.fixture(scope="module")
def downloads(request: pytest.FixtureRequest) -> Path:
    """Kept from run to run: the archives are content-addressed."""
    return Path(request.config.cache.mkdir("kaiju-downloads"))


@dataclass(frozen=True)
class Parts:
    """The release that most tests here use."""

    source: Source
    split: Split
    lock: Lock


@pytest.fixture(scope="module")
def parts(settings: Settings, downloads: Path) -> Parts:
    source, split = prepared(TINYDB, downloads)
    return Parts(source, split, PREPARATION.lock(split, source, settings))


def run(settings: Settings, command: Command | None) -> Result:
    assert command is not None

    async def started() -> Result:
        with anyio.fail_after(PATIENCE):
            return await create(settings).run(command, Limits(wall=120))

    return anyio.run(started)


def prepared(known: Known, downloads: Path) -> tuple[Source, Split]:
    source = PREPARATION.fetch(PREPARATION.release(known.purl), downloads)
    return source, PREPARATION.split(source, known.choices)


def stubbed(split: Split, environment: Environment, settings: Settings) -> tuple[Stub, dict[str, str], Probe]:
    keep: dict[str, str] = {}
    while True:
        stub = stub_library(split, keep)
        probe = read_probe(run(settings, probe_command(stub.files, split, environment)))
        if not probe.needed.keys() - keep.keys():
            return stub, keep, probe
        keep |= probe.needed


def passes(split: Split, library: dict[str, File], environment: Environment, settings: Settings) -> int:
    work = {**split.config, **split.helpers, **split.tests, **library}
    tests = TestRun(work, environment, tuple(split.tests), (), split.options, messages=True)
    report = LANGUAGE.read_tests(tests, run(settings, LANGUAGE.test(tests)))
    return sum(outcome is Outcome.PASSED for outcome in report.observed.values())


def check(known: Known, settings: Settings, downloads: Path) -> None:
    source, split = prepared(known, downloads)
    assert split.roots == (known.root,)
    assert len(split.tests) == known.files
    assert known.requirements <= set(split.requirements)
    lock = PREPARATION.lock(split, source, settings)
    environment = PREPARATION.provision(lock, settings)
    reference = read_probe(run(settings, probe_command(split.library, split, environment)))
    stub, keep, probe = stubbed(split, environment, settings)
    assert reference.works == probe.works
    assert set(keep) == known.kept
    assert stub.kept_share <= known.share
    accounts = stub.account.values()
    assert sum(len(a.stubbed) + len(a.trivial) + len(a.kept) for a in accounts) == known.functions
    assert passes(split, dict(split.library), environment, settings) >= known.passed
    assert passes(split, dict(stub.files), environment, settings) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("known", OTHERS, ids=lambda known: known.root.rsplit("/", 1)[-1])
def test_a_known_release_comes_out_as_measured(known: Known, settings: Settings, downloads: Path) -> None:
    check(known, settings, downloads)


def test_tinydb_comes_out_as_measured(settings: Settings, downloads: Path) -> None:
    check(TINYDB, settings, downloads)


def test_two_preparations_of_tinydb_are_equal(settings: Settings, downloads: Path) -> None:
    first_source, first = prepared(TINYDB, downloads)
    second_source, second = prepared(TINYDB, downloads)
    assert (first_source, first) == (second_source, second)
    assert digest(stub_library(first, {}).files) == digest(stub_library(second, {}).files)
    private = find_private_names(first, first.tests)
    assert private == find_private_names(second, second.tests)
    pages = [list(write_spec(split, first_source, private).items()) for split in (first, second)]
    assert pages[0] == pages[1]
    locks = [PREPARATION.lock(split, first_source, settings) for split in (first, second)]
    assert locks[0] == locks[1]


def test_a_lock_names_hashes_and_no_address(parts: Parts) -> None:
    lock = parts.lock
    assert "pytest==9.2.0" in lock.text
    assert "ruff==0.17.6" in lock.text
    assert "--hash=sha256:" in lock.text
    assert "://" not in lock.text
    assert "/" not in lock.text.replace("\\\n", "")


def test_the_environment_lacks_the_library_and_any_installer(settings: Settings, parts: Parts) -> None:
    environment = PREPARATION.provision(parts.lock, settings)
    program = (
        "import importlib.util as u, importlib.metadata as m, sys, json\n"
        "found = [name for name in ('tinydb', 'pip', 'uv', 'setuptools') if u.find_spec(name)]\n"
        "print(json.dumps([found, m.version('tinydb'), sys.prefix, m.version('pytest')]))\n"
    )
    command = Command(
        (environment.programs["python"], "-I", "-c", program), inputs=environment.layers, system="python"
    )
    result = run(settings, command)
    assert result.stdout.decode().strip() == '[[], "4.9.0", "/kaiju/env/venv", "9.2.0"]'


def test_bytecode_is_there_and_names_no_place_of_this_machine(settings: Settings, parts: Parts) -> None:
    environment = PREPARATION.provision(parts.lock, settings)
    program = "import pytest; print(pytest.__cached__, pytest.main.__code__.co_filename)"
    command = Command((environment.programs["python"], "-I", "-c", program), inputs=environment.layers)
    cached, filename = run(settings, command).stdout.decode().split()
    venv = next(layer for layer in environment.layers if layer.target == "/kaiju/env/venv")
    assert (venv.path / cached.removeprefix("/kaiju/env/venv/")).is_file()
    assert filename.startswith("/kaiju/env/venv/")


def test_layers_that_exist_need_no_network(
    settings: Settings, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = parts.lock
    first = PREPARATION.provision(lock, settings)
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(settings.state_dir / "empty"))
    assert PREPARATION.provision(lock, settings).digest == first.digest


def test_a_library_that_its_own_environment_needs_is_refused(settings: Settings, parts: Parts) -> None:
    lock = parts.lock
    for metadata in (
        {"name": "Pluggy", "version": "1", "packages": "x"},
        {"name": "x", "version": "1", "packages": "yaml"},
    ):
        with pytest.raises(Obstacle) as caught:
            PREPARATION.provision(Lock(lock.text, lock.language_version, metadata), settings)
        assert caught.value.code == "library_in_environment"


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://example.org/",
        "evil @ file:///tmp/evil.whl",
        "-e .",
        "evil==1.0",
        "    --hash=md5:00",
        "evil",
    ],
)
def test_a_lock_that_names_more_than_pinned_hashes_is_refused(
    line: str, settings: Settings, parts: Parts
) -> None:
    text = f"{parts.lock.text}{line}\n"
    with pytest.raises(Obstacle) as caught:
        PREPARATION.provision(Lock(text, parts.lock.language_version, parts.lock.metadata), settings)
    assert caught.value.code == "bad_lock"


@pytest.mark.parametrize(
    "change", [{"name": "../../x"}, {"version": "1/../../y"}, {"packages": ""}, {"name": ""}]
)
def test_metadata_that_would_leave_the_layer_is_refused(
    change: dict[str, str], settings: Settings, parts: Parts
) -> None:
    metadata = {**parts.lock.metadata, **change}
    with pytest.raises(Obstacle) as caught:
        PREPARATION.provision(Lock(parts.lock.text, parts.lock.language_version, metadata), settings)
    assert caught.value.code == "bad_lock"


def test_a_requirement_without_a_wheel_is_an_obstacle(settings: Settings, parts: Parts) -> None:
    source = parts.source
    split = PREPARATION.split(source, Choices(requirements=("six==0.0.1",)))
    with pytest.raises(Obstacle) as caught:
        PREPARATION.lock(split, source, settings)
    assert caught.value.code == "dependency_unavailable"
    assert "://" not in caught.value.detail


def test_what_only_tests_want_is_left_out_when_it_cannot_be_had(settings: Settings, parts: Parts) -> None:
    source, split = parts.source, parts.split
    wanted = replace(split, requirements=("six==0.0.1", "colorama"), spare=("six==0.0.1", "colorama"))
    text = PREPARATION.lock(wanted, source, settings).text
    assert "colorama==" in text
    assert "six==" not in text


@pytest.fixture
def imported(parts: Parts, tmp_path: Path) -> Iterator[dict[str, types.ModuleType]]:
    """The reference's modules, imported here: this release is one we know."""
    split = parts.split
    for path, file in split.library.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(file.data)
    paths = [path.removesuffix(".py") for path in split.library if path.endswith(".py")]
    names = {path.removesuffix("/__init__").replace("/", ".") for path in paths} - {"tinydb.mypy_plugin"}
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        yield {name: importlib.import_module(name) for name in sorted(names)}
    for name in [name for name in sys.modules if name.split(".")[0] == "tinydb"]:
        del sys.modules[name]


def test_the_specification_names_every_public_signature_of_tinydb(
    imported: dict[str, types.ModuleType], parts: Parts
) -> None:
    pages = write_spec(parts.split, parts.source, frozenset())
    checked = 0
    for name, module in imported.items():
        own = [value for value in vars(module).values() if getattr(value, "__module__", "") == name]
        for owner in [module, *filter(inspect.isclass, own)]:
            for member, value in vars(owner).items():
                public = not member.startswith("_") or member.endswith("__")
                if (
                    public
                    and inspect.isfunction(value)
                    and (value.__module__, value.__name__) == (name, member)
                ):
                    entry = pages[f"api-{name}.md"].split(f"`{name}.{value.__qualname__}`", 1)[1]
                    code = entry.split("```", 2)[1]
                    assert f"\ndef {value.__name__}(" in code
                    assert all(parameter in code for parameter in inspect.signature(value).parameters), code
                    checked += 1
    assert checked > 80

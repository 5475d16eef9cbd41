"""Yardsticks of `kaiju bench`: the same commands as in sandboxes, run natively, with the same results."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import anyio
import pytest

from kaiju_clients.bench.native import Ground, NativeFailed
from kaiju_clients.bench.writing import written_file
from kaiju_clients.bench.yardsticks import lay_out, reference
from kaiju_grading import languages
from kaiju_grading.kept import kept_files
from kaiju_grading.outcome import Outcome
from kaiju_grading.strength import module_strength
from kaiju_sandbox.command import Command, File, Layer, Scratch, Tree
from kaiju_sandbox.settings import Settings
from kaiju_tasks.prepare.pipeline import prepare
from kaiju_tasks.recipe import load_shipped

SCRIPT = b"""
cat - input >&$KAIJU_REPORT_FD
ls /kaiju/out /tmp >&$KAIJU_REPORT_FD
echo made >/kaiju/out/made; touch /tmp/made
pwd; exit 3
"""
COMMAND = Command(
    argv=("/bin/bash", "/kaiju/run/script"),
    cwd="/kaiju/work",
    env={"A": "1"},
    stdin=b"said ",
    inputs=(
        Tree("/kaiju/run", {"script": File(SCRIPT)}),
        Tree("/kaiju/work", {"input": File(b"given\n")}),
    ),
    scratch=(Scratch("/kaiju/out", 1 << 20),),
    keep="/kaiju/out",
    report=True,
)


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    with Ground(tmp_path / "native") as ground:
        yield ground


def test_a_command_runs_natively_in_the_places_of_a_sandbox(ground: Ground) -> None:
    run = ground.ready(COMMAND, "command")
    result = run.run()
    assert (result.exit_code, result.stdout) == (3, b"/kaiju/work\n")
    assert result.report == b"said given\n/kaiju/out:\n\n/tmp:\n"
    kept = kept_files(result)
    assert {path: file.data for path, file in kept.items()} == {"made": b"made\n"}
    assert not Path("/kaiju/out").exists()


def test_a_run_that_is_cleared_finds_its_scratch_folders_empty(ground: Ground) -> None:
    run = ground.ready(COMMAND, "command")
    first = run.run()
    assert b"made" in run.run().report
    run.clear()
    assert run.run().report == first.report


def test_runs_of_two_commands_do_not_see_each_other(ground: Ground) -> None:
    other = replace(COMMAND, inputs=(COMMAND.inputs[0], Tree("/kaiju/work", {"input": File(b"other\n")})))
    first, second = ground.ready(COMMAND, "first"), ground.ready(other, "second")
    assert first.run().report.startswith(b"said given\n/kaiju/out:\n\n/tmp:\n")
    assert second.run().report == b"said other\n/kaiju/out:\n\n/tmp:\n"


def test_a_command_that_reports_nothing_is_no_yardstick(ground: Ground) -> None:
    run = ground.ready(replace(COMMAND, argv=("/bin/bash", "-c", "echo broken >&2")), "command")
    with pytest.raises(NativeFailed, match="broken"):
        run.run()


def test_what_is_shared_between_sandboxes_cannot_be_written(ground: Ground, tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    layer.mkdir()
    script = "touch /kaiju/env/new; ls /kaiju/env >&$KAIJU_REPORT_FD; echo ran >&$KAIJU_REPORT_FD"
    command = replace(
        COMMAND, argv=("/bin/bash", "-c", script), inputs=(*COMMAND.inputs, Layer("/kaiju/env", layer))
    )
    assert ground.ready(command, "command").run().report == b"ran\n"
    assert list(layer.iterdir()) == []


def test_nothing_of_the_views_is_left(tmp_path: Path) -> None:
    with Ground(tmp_path / "native") as ground:
        keepers = [ground.ready(COMMAND, name).view.keeper for name in ("first", "second")]
        assert [keeper.poll() for keeper in keepers] == [None, None]
    assert [keeper.poll() for keeper in keepers] == [0, 0]


@pytest.fixture(scope="module")
def go_settings() -> Settings:
    """Layers stay from one session to the next: they are named by their content."""
    if shutil.which("go") is None:
        if os.environ.get("KAIJU_REQUIRE_ALL"):
            pytest.fail("no Go toolchain on PATH")
        pytest.skip("no Go toolchain on PATH")
    state = Path(tempfile.gettempdir()) / f"kaiju-test-go-{os.geteuid()}"
    state.mkdir(mode=0o755, exist_ok=True)
    return Settings(state_dir=state, slots=2)


@pytest.mark.slow
def test_a_task_in_go_is_compiled_and_run_natively_with_the_results_of_a_sandbox(
    go_settings: Settings, tmp_path: Path
) -> None:
    async def prepared() -> str:
        shipped = load_shipped("parcel")
        lighter = replace(shipped, content=shipped.content.model_copy(update={"repeats": 1, "mixes": 2}))
        with anyio.fail_after(900):
            return (await prepare(lighter, go_settings, lambda _: None)).path.name

    suite = reference(go_settings, anyio.run(prepared))
    language = languages.get(suite.language)
    with Ground(tmp_path / "native") as ground:
        sticks = anyio.run(lay_out, suite, ground)
        assert sticks.compiled
        for compiled in (sticks.held, sticks.seen):
            sticks.clear()
            assert language.read_build(compiled.library.run(), tuple(suite.reference)).ok
            assert [run.run().exit_code for run in compiled.tests] == [0]
        visible, *made = [
            language.read_tests(stick.test, stick.run.run()).outcomes
            for stick in (sticks.visible, *sticks.pairs)
        ]
    assert set(visible.values()) == {Outcome.PASSED}
    altered = {id for cell in suite.cells for id in cell.tests}
    left = iter(made)
    for module in suite.modules:
        runs = list(islice(left, module_strength(suite.cells, module).runs))
        for test in module.tests:
            passed = {run[test.id] is Outcome.PASSED for run in runs}
            assert passed == ({False, True} if test.id in altered else {True}), test.id
    assert not list(left)


def test_a_library_at_the_top_of_its_tree_can_be_written_to() -> None:
    assert [written_file(roots) for roots in (["src", "more"], ["."])] == ["src/bench.txt", "bench.txt"]

"""The Python of the sandboxes: found, moved where every slot can use it, without the host's packages."""

import subprocess
import sys
from pathlib import Path, PurePosixPath

import anyio
import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox import interpreter
from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.settings import Settings
from kaiju_sandbox.toolchain import share

SYSTEM_PYTHON = Path("/usr/bin/python3")


@pytest.fixture(params=[Path(sys.executable), SYSTEM_PYTHON], ids=["running", "system"])
def chosen(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    program: Path = request.param
    if not program.exists():
        pytest.skip(f"no {program} here")
    return settings.model_copy(update={"interpreter": program})


def test_it_runs_in_a_sandbox_with_its_whole_library(box: Box, chosen: Settings) -> None:
    if box.backend.name != "namespace":
        pytest.skip("an image has its own system")
    found = interpreter.locate(chosen)
    program = "import ctypes, json, sqlite3, ssl, sys, unittest; print(sys.version.split()[0], sys.path)"
    result = box.run(found.path, "-I", "-c", program, inputs=(found.layer,) if found.layer else ())
    assert result.stdout.decode().split()[0] == found.version, result.stderr.decode()
    assert str(Path.home()) not in result.stdout.decode()


def test_it_is_the_same_version_on_the_host(chosen: Settings) -> None:
    found = interpreter.locate(chosen)
    answer = subprocess.run([found.host, "-V"], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == f"Python {found.version}"


def test_the_same_python_has_the_same_key(chosen: Settings) -> None:
    assert interpreter.locate(chosen) == interpreter.locate(chosen)


def test_a_setting_that_is_no_python_is_refused(settings: Settings) -> None:
    for wrong in (Path("/bin/true"), Path("/no/such/python")):
        with pytest.raises(SandboxFault, match=str(wrong)):
            interpreter.locate(settings.model_copy(update={"interpreter": wrong}))


def test_the_copy_holds_the_library_and_not_the_packages(settings: Settings) -> None:
    found = interpreter.locate(settings)
    if found.layer is None:
        pytest.skip("the running Python is the system's")
    names = {path.relative_to(found.layer.path).as_posix() for path in found.layer.path.rglob("*.py")}
    assert any(name.endswith("/json/__init__.py") for name in names)
    assert any("/test/support/" in name for name in names)
    assert not any("site-packages" in name or name.endswith("test/test_json") for name in names)


def test_the_copy_holds_no_archive_of_other_libraries(settings: Settings) -> None:
    found = interpreter.locate(settings)
    if found.layer is None:
        pytest.skip("the running Python is the system's")
    packed = {".whl", ".egg", ".zip", ".gz", ".bz2", ".xz"}
    assert [path for path in found.layer.path.rglob("*") if path.suffix in packed] == []


@pytest.mark.parametrize(
    ("path", "belongs"),
    [
        ("bin/python3.11", True),
        ("bin/pip", False),
        ("lib/python3.11/json/decoder.py", True),
        ("lib/python3.11/test/support/__init__.py", True),
        ("lib/python3.11/test/test_json/__init__.py", False),
        ("lib/python3.11/distutils/tests", False),
        ("lib/python3.11/site-packages", False),
        ("lib/python3.11/ensurepip", False),
        ("lib/libpython3.11.a", False),
        ("lib/libpython3.11.so.1.0", True),
        ("share/man", False),
    ],
)
def test_what_belongs_to_a_python(path: str, belongs: bool) -> None:
    assert interpreter.wanted(PurePosixPath(path)) is belongs


def test_a_toolchain_in_usr_needs_no_layer(tmp_path: Path) -> None:
    layer, key = share(Path("/usr/lib"), LayerStore(tmp_path), "/kaiju/env/x", wanted=lambda path: True)
    assert layer is None
    assert key


def test_a_toolchain_keeps_links_and_its_key_follows_its_content(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "tool-1").write_text("one")
    (prefix / "bin" / "tool").symlink_to("tool-1")
    store = LayerStore(tmp_path / "layers")
    layer, key = share(prefix, store, "/kaiju/env/x", wanted=lambda path: True)
    assert layer is not None
    assert (layer.path / "bin" / "tool").is_symlink()
    assert (layer.path / "bin" / "tool").read_text() == "one"
    (prefix / "bin" / "tool-1").write_text("two")
    assert share(prefix, store, "/kaiju/env/x", wanted=lambda path: True)[1] != key


def test_locating_works_beside_a_running_loop(settings: Settings) -> None:
    async def main() -> str:
        return (await anyio.to_thread.run_sync(interpreter.locate, settings)).version

    assert anyio.run(main)

"""Layers are built once, whole or not at all, and readable by every slot."""

import os
import stat
import threading
from pathlib import Path

import pytest

from kaiju_sandbox.errors import SandboxFault
from kaiju_sandbox.layers import LayerStore
from kaiju_sandbox.leftovers import owned_name


def fill(folder: Path) -> None:
    (folder / "sub").mkdir(mode=0o700)
    (folder / "sub" / "data").write_text("content")
    (folder / "sub" / "data").chmod(0o600)
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o4700)
    (folder / "link").symlink_to("sub/data")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_layer_is_built_once_and_found_again(tmp_path: Path) -> None:
    store = LayerStore(tmp_path / "layers")
    assert store.find("thing-1") is None
    path = store.build("thing-1", fill)
    assert store.find("thing-1") == path

    def must_not_run(folder: Path) -> None:
        raise AssertionError

    assert store.build("thing-1", must_not_run) == path
    assert (path / "link").read_text() == "content"


def test_modes_let_every_slot_read_and_nobody_gain(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        path = LayerStore(tmp_path / "layers").build("thing-1", fill)
    finally:
        os.umask(old)
    assert [mode(path), mode(path / "sub"), mode(path / "sub" / "data")] == [0o755, 0o755, 0o644]
    assert mode(path / "program") == 0o755
    assert mode(path.parent) == 0o755


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    store = LayerStore(tmp_path / "layers")

    def fail(folder: Path) -> None:
        fill(folder)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        store.build("thing-1", fail)
    assert store.find("thing-1") is None
    assert list(store.root.iterdir()) == []


def test_two_builders_of_one_layer_both_succeed(tmp_path: Path) -> None:
    store = LayerStore(tmp_path / "layers")
    together = threading.Barrier(2, timeout=30)
    found: list[Path] = []

    def slow(folder: Path) -> None:
        fill(folder)
        together.wait()

    builders = [threading.Thread(target=lambda: found.append(store.build("thing-1", slow))) for _ in range(2)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join(30)
    assert found == [store.root / "thing-1"] * 2
    assert list(store.root.iterdir()) == [store.root / "thing-1"]


@pytest.mark.parametrize("key", ["", "..", "a/b", ".hidden", "A", "x" * 200, "a\n"])
def test_a_key_that_is_no_plain_name_is_refused(tmp_path: Path, key: str) -> None:
    store = LayerStore(tmp_path)
    with pytest.raises(ValueError, match="layer key"):
        store.find(key)
    with pytest.raises(ValueError, match="layer key"):
        store.build(key, fill)


def test_a_special_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxFault, match="pipe"):
        LayerStore(tmp_path).build("thing-1", lambda folder: os.mkfifo(folder / "pipe"))


def test_the_sweep_takes_unfinished_layers_of_the_dead_only(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    finished = store.build("thing-1", fill)
    living = tmp_path / owned_name(".partial")
    dead = tmp_path / owned_name(".partial").replace(f"-{os.getpid()}-", "-999999999-")
    living.mkdir()
    fill_folder = dead / "half"
    fill_folder.mkdir(parents=True)
    assert store.sweep() == 1
    assert not dead.exists()
    assert living.is_dir()
    assert finished.is_dir()

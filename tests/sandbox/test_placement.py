"""A command that cannot be expressed is refused before anything is made."""

from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.conftest import Box

from kaiju_sandbox.command import Command, File, Layer, Scratch, Tree

HERE = Path("/")


def tree(target: str, *names: str) -> Tree:
    return Tree(target, {name: File(b"") for name in names or ("f",)})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"argv": ()}, "argv"),
        ({"argv": ("true",)}, "argv"),
        ({"argv": ("/bin/true", "a\0b")}, "NUL"),
        ({"env": {"A=B": "x"}}, "env"),
        ({"env": {"": "x"}}, "env"),
        ({"cwd": "tmp"}, "cwd"),
        ({"cwd": "/tmp/../etc"}, "cwd"),
        ({"inputs": (tree("work"),)}, "target"),
        ({"inputs": (tree("/"),)}, "target"),
        ({"inputs": (tree("/usr/lib/x"),)}, "target"),
        ({"inputs": (tree("/etc"),)}, "target"),
        ({"inputs": (tree("/work/../etc"),)}, "target"),
        ({"inputs": (tree("/work//x"),)}, "target"),
        ({"inputs": (tree("/work"), Layer("/work", HERE))}, "overlaps"),
        ({"inputs": (tree("/work"), tree("/work/sub"))}, "overlaps"),
        ({"inputs": (tree("/work"),), "scratch": (Scratch("/work/build", 100),)}, "overlaps"),
        ({"scratch": (Scratch("/work", 100), Scratch("/work", 100))}, "overlaps"),
        ({"scratch": (Scratch("/tmp", 100),)}, "overlaps"),
        ({"scratch": (Scratch("/work", 0),)}, "size"),
        ({"keep": "/work"}, "keep"),
        ({"keep": "tmp"}, "keep"),
        ({"keep": "/tmp/../work"}, "keep"),
        ({"keep": "/work/out", "inputs": (tree("/work"),)}, "keep"),
        ({"inputs": (tree("/work", "/etc/passwd"),)}, "relative"),
        ({"inputs": (tree("/work", "../x"),)}, "relative"),
        ({"inputs": (tree("/work", "a/./b"),)}, "relative"),
        ({"inputs": (tree("/work", "a//b"),)}, "relative"),
        ({"inputs": (tree("/work", "a\0"),)}, "relative"),
        ({"inputs": (tree("/work", ""),)}, "relative"),
        ({"inputs": (tree("/work", "n" * 256),)}, "longer than 255"),
        ({"inputs": (tree("/work", "a", "a/b"),)}, "a file and a folder"),
    ],
)
def test_a_wrong_command_is_refused_by_name_of_what_is_wrong(
    box: Box, fields: dict[str, Any], message: str
) -> None:
    command = Command(**{"argv": ("/bin/true",), **fields})
    with pytest.raises(ValueError, match=message):
        box.run(*command.argv, **{name: value for name, value in fields.items() if name != "argv"})
    staging = box.settings.staging_dir
    assert not staging.is_dir() or list(staging.iterdir()) == []

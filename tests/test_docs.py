"""The documents agree with the program."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kaiju_grading import languages
from kaiju_server.cli import kaiju

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "cli.md"
TOOLS = ROOT / "docs" / "tools.md"


def reference() -> str:
    """The CLI reference as the program's own help texts."""
    head = "# Command line\n\nEvery command and option, as `--help` prints it.\n"
    return head + "".join(f"\n## {name}\n\n```\n{text}\n```\n" for name, text in _commands(kaiju, "kaiju"))


def _commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    wide = {**command.context_settings, "terminal_width": 100, "max_content_width": 100}
    context = click.Context(command, parent=parent, info_name=name, **wide)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from _commands(found, child, context)


def test_the_cli_reference_is_what_the_program_prints() -> None:
    # In a process of its own: click keeps the help option of a command as its first caller had it.
    made = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True).stdout
    if os.environ.get("KAIJU_WRITE_DOCS"):
        REFERENCE.write_text(made, encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == made


def test_every_document_that_the_readme_links_exists() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = [part.split(")")[0].split("#")[0] for part in text.split("](")[1:]]
    local = [link for link in linked if link and "://" not in link]
    assert local
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_the_tools_page_has_every_tool_with_its_arguments() -> None:
    surface = json.loads((ROOT / "tests" / "server" / "tool_surface.json").read_text(encoding="utf-8"))
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*)\|", TOOLS.read_text(encoding="utf-8"), re.MULTILINE)
    told = {tool: re.findall(r"`(\w+)", arguments) for tool, arguments in rows}
    expected = {
        tool: [name for name in of["arguments"] if name != "episode_id"] for tool, of in surface.items()
    }
    assert told == expected


def test_the_tools_page_names_the_tools_that_take_no_episode() -> None:
    surface = json.loads((ROOT / "tests" / "server" / "tool_surface.json").read_text(encoding="utf-8"))
    without = " and ".join(f"`{tool}`" for tool, of in surface.items() if "episode_id" not in of["arguments"])
    assert f"Every tool except {without} takes an optional `episode_id`" in TOOLS.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", sorted(languages.names()))
def test_every_language_has_its_page(language: str) -> None:
    page = ROOT / "docs" / "languages" / f"{language}.md"
    assert page.is_file()
    assert page.read_text(encoding="utf-8").startswith(f"# {languages.get(language).title}")


if __name__ == "__main__":
    sys.stdout.write(reference())

"""The `kaiju` program: sub-commands come from the entry points of the group `kaiju.commands`."""

import sys
from collections.abc import Mapping
from importlib import metadata

import click

GROUP = "kaiju.commands"
OURS = ("kaiju_server", "kaiju_sandbox", "kaiju_grading", "kaiju_tasks", "kaiju_clients")
BROKEN = (ImportError, AttributeError, SyntaxError, NameError, TypeError, ValueError)
"""What importing somebody's command module can raise."""


class Commands(click.Group):
    """A group whose commands are loaded when they are asked for; a broken one does not break the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_entry_points())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry_point = _entry_points().get(cmd_name)
        if entry_point is None:
            return None
        try:
            command = entry_point.load()
        except BROKEN as error:
            missing = _missing(error) if _ours(entry_point.module) else None
            return _unavailable(cmd_name, missing or f"{type(error).__name__}: {error}")
        if not isinstance(command, click.Command):
            return _unavailable(cmd_name, f"{entry_point.value} is no command")
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kaiju", prog_name="kaiju")
def kaiju() -> None:
    """Real libraries as graded tasks for coding agents, served over MCP."""


def main() -> None:
    """Run the program. What went wrong outside it is one line and status 2; a fault of it is a traceback."""
    try:
        kaiju()
    except Exception as error:
        texts = [_text(cause) for cause in _causes(error)]
        if not all(texts):
            raise
        for text in texts:
            click.echo(f"kaiju: {text}", err=True)
        sys.exit(2)


def _text(error: BaseException) -> str | None:
    """One line about an error of ours, or about a file that the system refuses; None for a fault."""
    if _ours(type(error).__module__):
        return " ".join(str(error).split())
    if isinstance(error, ModuleNotFoundError):
        return _missing(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{str(error.filename)!a}: {error.strerror}"
    return None


def _missing(error: BaseException) -> str | None:
    """What to do about a package that Kaiju needs and that is not installed; None for anything else."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    package = error.name.partition(".")[0]
    if _ours(package) or package in sys.stdlib_module_names:
        return None
    return (
        f"the package {package!r} is missing from {sys.prefix}: Kaiju was updated, so set it up again "
        "(make setup, or pip install of the same checkout)"
    )


def _ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


def _causes(error: BaseException) -> list[BaseException]:
    """The errors in a group of errors, each once."""
    if isinstance(error, BaseExceptionGroup):
        return [cause for inner in error.exceptions for cause in _causes(inner)]
    return [error]


def _entry_points() -> Mapping[str, metadata.EntryPoint]:
    return {entry_point.name: entry_point for entry_point in metadata.entry_points(group=GROUP)}


def _unavailable(name: str, reason: str) -> click.Command:
    line = " ".join(reason.split())

    @click.command(
        name, short_help=f"(not available: {line})", context_settings={"ignore_unknown_options": True}
    )
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def unavailable(arguments: tuple[str, ...]) -> None:
        """This command could not be loaded."""
        raise click.ClickException(f"command {name!r} is not available: {line}")

    return unavailable

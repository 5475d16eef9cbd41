"""The instruction: what an agent is told, in words it can act on."""

from collections.abc import Mapping

from kaiju_grading import languages
from kaiju_grading.preparation import Stub
from kaiju_tasks.prepare.material import Material

TEXT = """\
# Implement {name} {version}

{summary}

The workspace holds the source tree of this {language} library with the bodies of its functions removed:
{bodies}.
Write them again, so that the library does what its specification says. Hidden tests grade the result: the
library's own, which you cannot read.

## What you have

* the workspace. The library is {roots}; that is what you change.
{elsewhere}\
* the specification: its pages are read with `read_spec`, starting at `index.md`. It has every public
  signature with its documentation, the non-public names that the tests use (`private.md`) and the library's
  own texts that they compare with (`messages.md`), where there are any.
* an environment without network, in which everything that the library needs is installed.

## Rules

* Names, signatures and files that exist must stay as they are: the tests use them. You may add files, types
  and functions there.
* Only files of the library are handed in. `submit` lists what it did not take, and why.
* The library alone must build. A file that does not even compile costs the whole stage.

## Stages

The work has three stages: draft, lint and test. `submit` ends the open one, and the next begins with your
workspace as it stands.

| stage | what it adds |
|---|---|
| draft | the specification, and the files of the workspace |
| lint | `run_lint`; what the stub already had is not among its findings |
| test | `run_tests_visible`: {visible} tests whose results you may see; none of them is graded |

After each stage the hidden tests are run. They come in {modules} modules, and a module counts only when all
of its tests pass: reward = modules passed / {modules}.
{commands}"""


def instruction(
    material: Material, stub: Stub, commands: Mapping[str, str], modules: int, visible: int
) -> bytes:
    """instruction.md."""
    release, split = material.source.release, material.split
    text = TEXT.format(
        name=release.name,
        version=release.version,
        summary=material.source.summary or f"{release.name} is an open-source library.",
        language=languages.get(material.recipe.content.language).title,
        bodies=_bodies(stub),
        roots=_roots(split.roots),
        elsewhere=_elsewhere(material),
        visible=visible,
        modules=modules,
        commands=_commands(commands),
    )
    return text.encode()


def _roots(roots: tuple[str, ...]) -> str:
    return "the whole tree" if roots == (".",) else "below " + ", ".join(f"`{root}`" for root in roots)


def _bodies(stub: Stub) -> str:
    removed = sum(len(account.stubbed) for account in stub.account.values())
    kept = sum(len(account.kept) for account in stub.account.values())
    text = f"{removed} functions and methods fail loudly when they are called"
    return f"{text}, {kept} stayed whole, as the library needs them to be built or imported" if kept else text


def _elsewhere(material: Material) -> str:
    names = sorted(material.split.config)
    shown = ", ".join(f"`{name}`" for name in names[:8]) + (" and others" if len(names) > 8 else "")
    return f"  Beside it, for reading: {shown}.\n" if names else ""


def _commands(commands: Mapping[str, str]) -> str:
    rows = "\n".join(f"* {name}: `{command}`" for name, command in sorted(commands.items()))
    return f"\nThe commands behind the tools:\n\n{rows}\n" if rows else ""

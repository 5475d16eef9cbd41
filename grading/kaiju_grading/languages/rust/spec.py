"""The specification: Markdown pages with the README, the documentation and every public signature.

rustdoc tells what is public and under which path; the source has the signatures as they were written.
"""

from collections.abc import Iterator, Mapping

from kaiju_grading.files import Files
from kaiju_grading.languages.rust.inline import is_inline
from kaiju_grading.languages.rust.private import declarations
from kaiju_grading.languages.rust.sandboxed import Script, cargo_command
from kaiju_grading.languages.rust.spec_items import Item, Rustdoc
from kaiju_grading.preparation import Obstacle, Source, Split
from kaiju_grading.steps import Steps
from kaiju_sandbox.environment import Environment

INDEX = "index.md"
PRIVATE = "private.md"
INSIDE = """\
Some tests are modules inside of library files, with `use super::*`: they see what their own file declares or
imports. What moves to another file has to be imported where it was; the tests of a file that is gone fail."""
REACHED = """\
Tests inside of the library use them. Each has to be declared in its file or imported there, whatever a lint
says of an import that only tests need: where one is missing, no test inside of that file compiles."""


def write_spec(
    split: Split, source: Source, private: frozenset[str], environment: Environment
) -> Steps[Mapping[str, str]]:
    """Pages by name, `index.md` first. Raises Obstacle `unreadable_source`."""
    work = {**split.config, **split.library}
    result = yield cargo_command(Script("spec.sh", (split.packages[0],)), work, environment)
    rustdoc = Rustdoc.read(result.report, split.library)
    if rustdoc is None:
        said = result.stderr.decode(errors="replace").strip()[-500:]
        raise Obstacle("unreadable_source", f"rustdoc did not describe the library: {said}")
    modules = rustdoc.modules()
    pages = {f"api-{name.replace('::', '.')}.md": _module(name, items) for name, items in modules.items()}
    documents = dict(_documents(split.docs, pages))
    names = [*pages, *documents, *([PRIVATE] if private else [])]
    pages = {INDEX: _index(split, source, names), **pages, **documents}
    if private:
        pages[PRIVATE] = _private(split.library, private)
    return pages


def _module(name: str, items: list[Item]) -> str:
    lines = [f"# `{name}`", ""]
    for item in items:
        if item.kind == "module":
            lines += [item.docs.strip(), ""] if item.docs else []
            continue
        # As in the source, where the documentation stands before its item.
        lines += [f"## {item.kind} `{item.path}`", ""]
        lines += [item.docs.strip(), ""] if item.docs else []
        lines += ["```rust", *item.code, "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _documents(docs: Files, taken: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    used = {INDEX, PRIVATE, *taken}
    for path in sorted(docs):
        name = path.replace("/", "-")
        name = name if name.lower().endswith(".md") else name + ".md"
        while name.lower() in used:
            name = "doc-" + name
        used.add(name.lower())
        yield name, _text(docs[path].data)


def _index(split: Split, source: Source, names: list[str]) -> str:
    release = source.release
    lines = [f"# {release.name} {release.version}", ""]
    lines += [source.summary, ""] if source.summary else []
    lines += ["## Pages of this specification", ""]
    lines += [f"- `{name}`: {_heading(name)}" for name in names]
    lines += ["", "Signatures that are not public stand in the stub."]
    lines += [INSIDE] if any(map(is_inline, split.tests)) else []
    return "\n".join([*lines, "", "## README", "", _readme(split), ""])


def _heading(name: str) -> str:
    if name.startswith("api-"):
        return f"public interface of `{name[4:-3].replace('.', '::')}`"
    return "non-public names that have to exist as well" if name == PRIVATE else "upstream documentation"


def _readme(split: Split) -> str:
    for path in sorted(split.config):
        if path.lower().startswith("readme"):
            return _text(split.config[path].data).strip()
    return "(The archive has no README.)"


def _private(library: Files, private: frozenset[str]) -> str:
    lines = ["# Non-public names that have to exist", "", REACHED, ""]
    by_file: dict[str, list[str]] = {}
    for entry in sorted(private):
        path, _, name = entry.rpartition(":")
        by_file.setdefault(path, []).append(name)
    for path, names in by_file.items():
        lines += [f"## `{path}`", ""]
        for name in names:
            code = declarations(library[path].data, name)
            lines += [f"### `{name}`", "", "```rust", *code, "```", ""]
    return "\n".join(lines)


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\0", "")

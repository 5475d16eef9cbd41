"""The specification: Markdown pages with the readme, the documentation and every public signature."""

from collections.abc import Mapping
from typing import Any

from kaiju_grading.files import Files
from kaiju_grading.languages.go.sandboxed import answer, go_command, patterns, unanswered
from kaiju_grading.preparation import Obstacle, Source, Split
from kaiju_grading.steps import Steps
from kaiju_sandbox.environment import Environment

INDEX, PRIVATE = "index.md", "private.md"


def write_spec(
    split: Split, source: Source, private: frozenset[str], environment: Environment
) -> Steps[Mapping[str, str]]:
    """Pages by name. Signatures come from the library's own comments and declarations, never from bodies."""
    order = {"packages": patterns(split.options), "private": sorted(private)}
    work = {**split.config, **split.library}
    result = yield go_command("doc", order, work, environment)
    found: Any = answer(result)
    if found is None:
        raise Obstacle("unreadable_source", unanswered(result))
    module = split.options["module"]
    shown = {path: page for path, page in sorted(found["pages"].items()) if _is_shown(path)}
    hidden = {path: page for path, page in sorted(found["pages"].items()) if not _is_shown(path)}
    named = {_page_name(path, module): path for path in [*shown, *hidden]}
    pages = {name: found["pages"][path] for name, path in named.items()}
    documents = dict(_documents(split.docs, set(pages)))
    if private:
        pages[PRIVATE] = _private(found["private"])
    index = _index(split, source, named, [*documents], bool(private))
    return {INDEX: index, **pages, **documents}


def private_names(split: Split, tests: Files, environment: Environment) -> Steps[frozenset[str]]:
    """`import/path:name`, `import/path:Type.method` and `import/path:Type.field` of each that tests use."""
    work = {**split.config, **split.library, **split.helpers, **split.tests}
    order = {"tests": sorted(path for path in tests if path.endswith("_test.go"))}
    result = yield go_command("private", order, work, environment)
    found: Any = answer(result)
    if found is None:
        raise Obstacle("unreadable_source", unanswered(result))
    return frozenset(found["names"] or ())


def _is_shown(path: str) -> bool:
    return "internal" not in path.split("/")


def _page_name(path: str, module: str) -> str:
    inside = path.removeprefix(module).strip("/").replace("/", "-")
    return f"api-{inside or 'package'}.md"


def _private(signatures: Mapping[str, str]) -> str:
    lines = [
        "# Names that are not public and have to exist as well",
        "",
        "Tests inside the packages use them. Keep names and signatures as they are.",
        "",
    ]
    for name, text in sorted(signatures.items()):
        lines += [f"## `{name}`", "", *(["```go", text, "```", ""] if text else [])]
    return "\n".join(lines)


def _documents(docs: Files, taken: set[str]) -> Mapping[str, str]:
    pages: dict[str, str] = {}
    for path in sorted(docs):
        name = path.replace("/", "-")
        name = name if name.lower().endswith(".md") else name + ".md"
        while name in taken or name in pages or name in {INDEX, PRIVATE}:
            name = "doc-" + name
        pages[name] = docs[path].data.decode(errors="replace").replace("\r\n", "\n").replace("\0", "")
    return pages


def _index(
    split: Split, source: Source, named: Mapping[str, str], documents: list[str], private: bool
) -> str:
    release = source.release
    lines = [f"# {release.name} {release.version}", ""]
    lines += [source.summary, ""] if source.summary else []
    lines += ["## Pages of this specification", ""]
    for name, path in named.items():
        what = "public interface" if _is_shown(path) else "interface within this module"
        lines.append(f"- `{name}`: {what} of `{path}`")
    lines += [f"- `{PRIVATE}`: non-public names that have to exist as well"] if private else []
    lines += [f"- `{name}`: upstream documentation" for name in documents]
    lines += [
        "",
        "## How it is built",
        "",
        f"Module `{split.options['module']}`, built with CGO_ENABLED=0.",
        "Bodies that were removed panic. Every name of the starting tree, exported or not, must keep its",
        "signature: tests inside the packages use them. A package-level variable that calls a function is",
        "initialised before any test runs: while such a function panics, no test of its package can run.",
    ]
    return "\n".join([*lines, "", "## README", "", _readme(split), ""])


def _readme(split: Split) -> str:
    for path in sorted(split.config):
        if path.lower().startswith("readme"):
            return split.config[path].data.decode(errors="replace").strip()
    return "(The archive has no README.)"

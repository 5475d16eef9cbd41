"""The specification: Markdown pages with the README, the documentation and every public signature."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import griffe

from kaiju_grading.files import Files
from kaiju_grading.languages.python.imports import quietly
from kaiju_grading.languages.python.layout import import_folder, package_of
from kaiju_grading.languages.python.metadata import read_metadata
from kaiju_grading.languages.python.spec_api import module_page
from kaiju_grading.languages.python.spec_private import private_page
from kaiju_grading.preparation import Obstacle, Source, Split

INDEX = "index.md"
PRIVATE = "private.md"


def write_spec(split: Split, source: Source, private: frozenset[str]) -> dict[str, str]:
    """Pages by name, `index.md` first. Nothing is imported: signatures are read from the source's syntax.

    `private` names (`package.module:_name`) get a page of their own when there are any.
    """
    modules = load_modules(split)
    shown = [module for name, module in modules.items() if _is_shown(name, modules)]
    pages = {f"api-{module.path}.md": module_page(module) for module in shown}
    documents = dict(_documents(split.docs))
    index = _index(split, source, shown, [*pages, *documents, *([PRIVATE] if private else [])])
    pages = {INDEX: index, **pages, **documents}
    if private:
        pages[PRIVATE] = private_page(modules, private)
    return pages


def load_modules(split: Split) -> dict[str, griffe.Module]:
    """Modules of the library by dotted name, sorted."""
    found: dict[str, griffe.Module] = {}
    with tempfile.TemporaryDirectory() as folder:
        for path, file in split.library.items():
            if path.endswith((".py", ".pyi")):
                target = Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.data)
        for root in split.roots:
            found |= {
                module.path: module for module in _load(package_of(root), Path(folder, import_folder(root)))
            }
    return dict(sorted(found.items()))


def _load(package: str, folder: Path) -> Iterator[griffe.Module]:
    try:
        with quietly():
            loaded = griffe.load(
                package, search_paths=[folder], allow_inspection=False, resolve_aliases=False
            )
    except (griffe.GriffeError, SyntaxError, UnicodeDecodeError) as error:
        raise Obstacle("unreadable_source", f"{package}: {type(error).__name__}") from error
    if isinstance(loaded, griffe.Module):
        yield from _walk(loaded)


def _walk(module: griffe.Module) -> Iterator[griffe.Module]:
    yield module
    for member in module.members.values():
        if isinstance(member, griffe.Module):
            yield from _walk(member)


def _is_shown(name: str, modules: Mapping[str, griffe.Module]) -> bool:
    """Public by name, or the home of something that a public module hands on."""
    if _is_public(name):
        return True
    return any(
        isinstance(member, griffe.Alias) and member.target_path.startswith(name + ".")
        for other, module in modules.items()
        if _is_public(other)
        for member in module.members.values()
    )


def _is_public(name: str) -> bool:
    return not any(part.startswith("_") and part != "__main__" for part in name.split("."))


def _documents(docs: Files) -> Iterator[tuple[str, str]]:
    taken: set[str] = set()
    for path in sorted(docs):
        name = path.replace("/", "-")
        name = name if name.lower().endswith(".md") else name + ".md"
        while name.lower() in taken or name in {INDEX, PRIVATE}:
            name = "doc-" + name
        taken.add(name.lower())
        yield name, _text(docs[path].data)


def _index(split: Split, source: Source, shown: Iterable[griffe.Module], names: Iterable[str]) -> str:
    release = source.release
    lines = [f"# {release.name} {release.version}", ""]
    lines += [source.summary, ""] if source.summary else []
    lines += ["## Pages of this specification", ""]
    headings = {f"api-{module.path}.md": f"public interface of `{module.path}`" for module in shown}
    headings[PRIVATE] = "non-public names that have to exist as well"
    lines += [f"- `{name}`: {headings.get(name, 'upstream documentation')}" for name in names]
    lines += ["", "## Modules", ""]
    lines += [f"- `{module.path}` in `{_path(module, split)}`" for module in shown]
    return "\n".join([*lines, "", "## README", "", _readme(split, source), ""])


def _path(module: griffe.Module, split: Split) -> str:
    dotted = module.path.replace(".", "/")
    for root in split.roots:
        folder = import_folder(root)
        for ending in ("/__init__.py", ".py", "/__init__.pyi", ".pyi"):
            path = f"{folder}/{dotted}{ending}" if folder else dotted + ending
            if path in split.library:
                return path
    return dotted


def _readme(split: Split, source: Source) -> str:
    for path in sorted(split.config):
        if path.lower().startswith("readme"):
            return _text(split.config[path].data).strip()
    return read_metadata(source.files).description.strip() or "(The archive has no README.)"


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\0", "")

"""Links: which test files use which others, as the compiler would find them."""

import re
from collections.abc import Iterator, Mapping

from kaiju_grading.files import Files
from kaiju_grading.languages.rust.inline import declared_files, is_inline, resolved, source_of
from kaiju_grading.languages.rust.manifest import test_name
from kaiju_grading.languages.rust.surgery_tests import walk
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.languages.rust.syntax import name_of, parse, text

_PATH = re.compile(rb'#\s*\[\s*path\s*=\s*"([^"\n]+)"\s*\]')


def find_links(files: Files) -> Mapping[str, frozenset[str]]:
    """By test file or helper. A test program uses the modules that it declares; a module of the library's own
    tests is used by nobody, and uses the file that declares it, without which it is not compiled."""
    found: dict[str, set[str]] = {path: set() for path in files}
    for path in files:
        if path.endswith(".rs"):
            data = files[path].data
            for other in _declared(path, data, files):
                if other.startswith("src/"):
                    found[other].add(path)
                else:
                    found[path].add(other)
            found[path] |= {other for other in files if _names(data, other)}
    return {path: frozenset(others - {path}) for path, others in found.items()}


def _declared(path: str, data: bytes, files: Files) -> Iterator[str]:
    place = source_of(data) if is_inline(path) else path
    if test_name(path) is not None:
        # The first file of a program finds modules in its own folder.
        place = path.rpartition("/")[0] + "/mod.rs"
    for modules, item in walk(parse(data)):
        if item.type == "mod_item" and part(item, "body") is None:
            other = declared_files(place, modules, name_of(item), files)
            if other is not None:
                yield other
    for named in _PATH.findall(data):
        other = resolved(place, named.decode(errors="replace"))
        if other in files:
            yield other


def _names(data: bytes, other: str) -> bool:
    """Whether a file's text has the name of a data file."""
    name = other.rpartition("/")[2].encode()
    return not other.endswith(".rs") and name in data


def missing_modules(path: str, data: bytes, files: Mapping[str, object]) -> Iterator[str]:
    """Files that a module declares and the tree has not: `src/a/tests/b.rs`."""
    for modules, item in walk(parse(data)):
        if item.type != "mod_item" or part(item, "body") is not None or b"path" in text(item):
            continue
        if declared_files(path, modules, name_of(item), files) is None:
            parent, _, file = path.rpartition("/")
            base = [parent] if file == "mod.rs" else [parent, file.removesuffix(".rs")]
            yield "/".join([*base, *modules, name_of(item)]) + ".rs"

"""The tree that a sandbox gets: pristine parts, the submission's library, then what only the grader fills."""

from collections.abc import Iterable

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.submission import admitted
from kaiju_grading.suite import Module, Site, Suite
from kaiju_sandbox.command import File


class SiteError(ValueError):
    """An alteration that does not fit its file; a fault of the task, never of a submission."""


def library_tree(suite: Suite, files: Files) -> Files:
    """The workspace with all that a submission may hold replaced by `files`. Holds no test."""
    replaced = admitted(suite.workspace, suite.roots, languages.get(suite.language))
    pristine = {path: file for path, file in suite.workspace.items() if path not in replaced}
    return pristine | dict(files)


def module_tree(suite: Suite, files: Files, module: Module, sites: tuple[Site, ...]) -> Files:
    """The library beside one module's held-out files, altered at `sites`, and the shared ones."""
    heldout = {path: suite.heldout[path] for path in module.mounted}
    return _laid_over(library_tree(suite, files), dict(suite.shared) | dict(apply_sites(heldout, sites)))


def veil(suite: Suite, module: Module) -> tuple[Site, ...]:
    """Questions for tests of other modules in the files of this one: its runs must not show their answers."""
    own = {test.id for test in module.tests}
    found = (cell.asked for cell in suite.cells if own.isdisjoint(cell.tests))
    return tuple(dict.fromkeys(site for asked in found for site in asked if site.path in module.mounted))


def held_tree(suite: Suite, files: Files, sites: tuple[Site, ...]) -> Files:
    """The library beside the held-out files of every module, altered at `sites`, and the shared ones."""
    return _laid_over(
        library_tree(suite, files), dict(suite.shared) | dict(apply_sites(suite.heldout, sites))
    )


def visible_tree(suite: Suite, files: Files) -> Files:
    """The library beside the visible tests and the shared files; nothing held out."""
    return _laid_over(library_tree(suite, files), dict(suite.shared) | dict(suite.visible))


def apply_sites(files: Files, sites: Iterable[Site]) -> Files:
    """Replace the bytes of every site; offsets are those of the unaltered files. Raises SiteError."""
    altered = dict(files)
    for path in {site.path for site in sites}:
        if path not in files:
            raise SiteError(f"site in {path!r}: expected a file of the module")
        # An edit that several alterations share is made once; what is put in comes before what begins there.
        edits = {(site.start, site.end, site.replacement): site for site in sites if site.path == path}
        spots = [edits[edit] for edit in sorted(edits)]
        altered[path] = File(_spliced(files[path].data, spots), files[path].executable)
    return altered


def _spliced(data: bytes, spots: list[Site]) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for site in spots:
        if not done <= site.start <= site.end <= len(data):
            found = f"site {site.path!r} {site.start}-{site.end}"
            raise SiteError(f"{found}: expected a range between {done} and {len(data)}")
        pieces += [data[done : site.start], site.replacement.encode()]
        done = site.end
    return b"".join([*pieces, data[done:]])


def _laid_over(library: Files, reserved: Files) -> Files:
    """Reserved files win, also over a file where they need a folder and over files below them."""
    folders = {path[:cut] for path in reserved for cut, char in enumerate(path) if char == "/"}
    kept = {
        path: file for path, file in library.items() if path not in folders and not _below(path, reserved)
    }
    return kept | dict(reserved)


def _below(path: str, files: Files) -> bool:
    return any(path[:cut] in files for cut, char in enumerate(path) if char == "/")

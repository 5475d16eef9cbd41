"""A submission: the immutable, content-addressed snapshot of what an agent handed in."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kaiju_grading.disk import Entry, TreeError, TreeTooLarge, open_folder, read_at, walk
from kaiju_grading.files import Files, PathError, check_path, digest, under
from kaiju_grading.language import Language
from kaiju_sandbox.command import File

MAX_FILES = 5_000
MAX_BYTES = 64 * 1024 * 1024
OUTSIDE = "not part of the library: tests see only files below the source roots; your own build sees this one"


class SubmissionError(Exception):
    """A workspace that cannot be handed in: the field, its value and what was expected."""

    def __init__(self, name: str, value: object, expected: str) -> None:
        super().__init__(f"{name}: got {value}; expected {expected}")
        self.field = name
        self.value = value
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Submission:
    """Library files by path, and the agent's own files that were not taken."""

    digest: str
    """Over path, x-bit and content of every file."""
    files: Files = field(repr=False)
    refused: Mapping[str, str] = field(default_factory=dict)
    """Path to a reason that an agent may read. Unprintable characters in a path are escaped."""
    beside: Files | None = field(default=None, repr=False, compare=False)
    """Every other file of the agent's tree: no test sees them, only its own build does. None: there is no
    tree."""


def snapshot(
    workspace: Path,
    roots: tuple[str, ...],
    language: Language,
    reserved: frozenset[str],
    pristine: Files | None = None,
) -> Submission:
    """Read a workspace folder. Files that equal their `pristine` twin are not listed as refused.

    A file where a `reserved` one will stand is left out without a word: saying so would tell a held-out name.
    Blocks on the disk. Raises SubmissionError beyond MAX_FILES files or MAX_BYTES bytes.
    """
    harvest = _Harvest(tuple(roots), language, _around(reserved))
    try:
        with open_folder(workspace) as folder:
            for entry in walk(folder):
                reason = harvest.reason(entry)
                if reason is None:
                    harvest.read(folder, entry)
                    continue
                harvest.read_beside(folder, entry)
                if reason and not _untouched(folder, entry, pristine or {}):
                    harvest.refused[_printable(entry.path)] = reason
    except TreeError as error:
        raise SubmissionError("workspace", error, "a folder that can be handed in") from error
    return replace(harvest.sealed(), beside=harvest.beside)


def submission_of(
    files: Files, roots: tuple[str, ...], language: Language, reserved: frozenset[str] = frozenset()
) -> Submission:
    """A submission of a library in memory, by the same rules. Raises SubmissionError as `snapshot` does."""
    harvest = _Harvest(tuple(roots), language, _around(reserved))
    for path in sorted(files):
        reason = harvest.reason(Entry(path, regular=True))
        if reason is None:
            harvest.take(path, files[path])
        elif reason:
            harvest.refused[_printable(path)] = reason
    return harvest.sealed()


def admitted(files: Files, roots: tuple[str, ...], language: Language) -> Files:
    """Those of `files` that a submission may replace: what else lies below the roots is the task's own."""
    return {
        path: file
        for path, file in files.items()
        if under(path, roots) and language.admits(path, roots) is None
    }


@dataclass(frozen=True, slots=True)
class _Reserved:
    files: frozenset[str]
    above: frozenset[str]
    """Folders on the way to a reserved file: no file can stand there."""

    def meets(self, path: str) -> bool:
        return path in self.above or any(prefix in self.files for prefix in _prefixes(path))


def _around(reserved: frozenset[str]) -> _Reserved:
    return _Reserved(reserved, frozenset(above for path in reserved for above in _prefixes(path)[:-1]))


@dataclass(slots=True)
class _Harvest:
    """A submission in the making."""

    roots: tuple[str, ...]
    language: Language
    reserved: _Reserved
    taken: dict[str, File] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    size: int = 0
    beside: dict[str, File] = field(default_factory=dict)
    beside_size: int = 0

    def reason(self, entry: Entry) -> str | None:
        """None if this may be handed in, else why not; empty when nothing may be said."""
        try:
            check_path(entry.path)
        except PathError as error:
            return str(error)
        if not under(entry.path, self.roots):
            return OUTSIDE
        refusal = self.language.admits(entry.path, self.roots)
        if not entry.regular:
            refusal = f"{entry.problem}; only regular files are handed in"
        if refusal is None and self.reserved.meets(entry.path):
            return ""
        return refusal

    def read(self, folder: int, entry: Entry) -> None:
        try:
            self.take(entry.path, read_at(folder, entry.path, MAX_BYTES - self.size))
        except TreeTooLarge as error:
            raise SubmissionError("size", error, f"at most {MAX_BYTES} bytes in all files") from error
        except TreeError:
            self.refused[entry.path] = "cannot be read"

    def read_beside(self, folder: int, entry: Entry) -> None:
        """Keep a file for the tree's own build; one that cannot be read or does not fit is not there."""
        try:
            check_path(entry.path)
            file = read_at(folder, entry.path, MAX_BYTES - self.beside_size)
        except (PathError, TreeError):
            return
        if len(self.beside) < MAX_FILES:
            self.beside[entry.path] = file
            self.beside_size += len(file.data)

    def take(self, path: str, file: File) -> None:
        self.taken[path] = file
        self.size += len(file.data)
        if len(self.taken) > MAX_FILES:
            raise SubmissionError("files", f"more than {MAX_FILES}", f"at most {MAX_FILES} files")
        if self.size > MAX_BYTES:
            raise SubmissionError("size", f"{self.size} bytes", f"at most {MAX_BYTES} bytes in all files")

    def sealed(self) -> Submission:
        spellings: dict[str, str] = {}
        files: dict[str, File] = {}
        for path, file in sorted(self.taken.items()):
            twin = _twin(path, spellings)
            if twin is None:
                files[path] = file
            else:
                self.refused[path] = f"differs from {twin!a} only in upper and lower case"
        return Submission(digest(files), files, dict(sorted(self.refused.items())))


def _untouched(folder: int, entry: Entry, pristine: Files) -> bool:
    twin = pristine.get(entry.path)
    if twin is None or not entry.regular:
        return False
    try:
        return read_at(folder, entry.path, len(twin.data)).data == twin.data
    except TreeError:
        return False


def _twin(path: str, spellings: dict[str, str]) -> str | None:
    """Another spelling of the path or of a folder above it, if one was seen; else remember this one."""
    prefixes = _prefixes(path)
    for prefix in prefixes:
        if spellings.get(prefix.casefold(), prefix) != prefix:
            return spellings[prefix.casefold()]
    spellings.update((prefix.casefold(), prefix) for prefix in prefixes)
    return None


def _prefixes(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _printable(path: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in path)

"""Bodies: a library with all or some of them taken out, by the stubber that made its task's stub."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import anyio
from anyio import BrokenWorkerProcess, to_process

from kaiju_grading import languages
from kaiju_grading.compose import library_tree
from kaiju_grading.files import Files, digest
from kaiju_grading.preparation import FileAccount, Obstacle, Preparation, Probe, Split, Stub
from kaiju_grading.sandboxes import Sandboxes
from kaiju_grading.steps import follow
from kaiju_grading.suite import Suite
from kaiju_sandbox.environment import Environment

MAX_BYTES = 2 * 1024 * 1024
"""Of sources that a stubber reads: a syntax tree takes a hundred times as much."""
SECONDS = 120.0
"""One pass of a stubber over them."""
NESTING = 12
"""Functions within functions that are looked for."""
ROUNDS = 30
"""Of bodies put back because the library does not load without them."""
KEPT_SHARE, KEPT_LINES = 0.05, 40
"""Of the lines of all bodies, or in lines: so much may stay."""


@dataclass(frozen=True, slots=True)
class Emptied:
    """A library without bodies."""

    files: Files = field(repr=False)
    kept: tuple[str, ...]
    """`path:name` of what was put back for it to load."""
    taken: int
    """Bodies that are gone."""
    gone: frozenset[str]
    """Functions, by `last`, of which no body is left, or was ever written."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """Libraries of one task, and the sandboxes that take them apart."""

    suite: Suite = field(repr=False)
    preparation: Preparation
    sandboxes: Sandboxes
    made: dict[str, Stub] = field(default_factory=dict, repr=False)

    async def account(self, files: Files) -> Mapping[str, FileAccount]:
        """What stubbing all of it would do. Raises Obstacle, SandboxError."""
        return (await self._stub(files, {})).account

    async def without(self, files: Files, out: Callable[[str], bool]) -> Files:
        """Without the bodies of these names, in whichever files. Raises Obstacle, SandboxError."""
        stub = await self._stub(files, await self._others(files, out))
        return {**files, **_touched(stub)}

    async def loading_without(self, files: Files, out: Callable[[str], bool]) -> Emptied:
        """As `without`; bodies that run when the library is loaded are put back.

        Raises Obstacle when it loads with none of this or with too little, SandboxError.
        """
        others = await self._others(files, out)
        back: dict[str, str] = {}
        start = await self._stub(files, others)
        wanted = await self._probe(files, files)
        for _ in range(ROUNDS):
            stub = await self._stub(files, others | back)
            _check_kept(stub, start)
            found = await self._probe(files, _touched(stub))
            if wanted.works <= found.works:
                return _emptied({**files, **_touched(stub)}, stub, back)
            more = {name: why for name, why in found.needed.items() if name not in others | back}
            if not more:
                break
            back |= more
        raise Obstacle("stub_build", "it does not load without its bodies")

    async def _others(self, files: Files, out: Callable[[str], bool]) -> dict[str, str]:
        """What stays, by `path:name`."""
        keep: dict[str, str] = {}
        for _ in range(NESTING):
            stub = await self._stub(files, keep)
            # A function inside of one that stays is found only now.
            more = {
                f"{path}:{name}": "it is not asked for"
                for path, account in stub.account.items()
                for name in account.stubbed
                if not out(plain(name))
            }
            if not more:
                break
            keep |= more
        return keep

    async def _stub(self, files: Files, keep: Mapping[str, str]) -> Stub:
        key = f"{digest(files)} {sorted(keep)}"
        if key not in self.made:
            self.made[key] = await self._stub_now(self._split(files), dict(keep))
        return self.made[key]

    async def _stub_now(self, split: Split, keep: dict[str, str]) -> Stub:
        if sum(len(file.data) for file in split.library.values()) > MAX_BYTES:
            raise Obstacle("unreadable_source", f"more than {MAX_BYTES} bytes of sources")
        environment = self.suite.environment
        stub = await _stub_aside(partial(_stub_here, self.suite.language, split, keep, environment))
        if stub is not None:
            return stub
        return await follow(self.preparation.stub(split, keep, environment), self.sandboxes.build)

    async def _probe(self, files: Files, library: Files) -> Probe:
        steps = self.preparation.probe({**files, **library}, self._split(files), self.suite.environment)
        return await follow(steps, self.sandboxes.build)

    def _split(self, files: Files) -> Split:
        """The library's sources; all else is what it is built with."""
        assay = languages.assay(self.suite.language)
        library = {path: file for path, file in files.items() if assay is None or assay.is_source(path)}
        tree = library_tree(self.suite, files)
        config = {path: file for path, file in tree.items() if path not in library}
        return Split(self.suite.roots, (), library, {}, {}, config, {}, options=dict(self.suite.options))


def parts(name: str) -> list[str]:
    """A function's types, and what it is called."""
    # A single letter is a type's parameter in most languages.
    return re.findall(r"\w\w+", plain(name))


def plain(name: str) -> str:
    """A name without the number that tells it from others like it in its file."""
    return name.partition("#")[0]


def last(name: str) -> str:
    """What a function is called within its type; empty for one without a name."""
    found = re.search(r"\w+$", plain(name))
    return found[0] if found else ""


async def _stub_aside(read: Callable[[], Stub | None]) -> Stub | None:
    """A parser may not survive what somebody wrote for it: another process, which may be killed."""
    try:
        with anyio.fail_after(SECONDS):
            return await to_process.run_sync(read, cancellable=True)
    except TimeoutError:
        raise Obstacle("unreadable_source", f"it was not read in {SECONDS:g} s") from None
    except BrokenWorkerProcess:
        raise Obstacle("unreadable_source", "what reads it crashes") from None


def _stub_here(language: str, split: Split, keep: dict[str, str], environment: Environment) -> Stub | None:
    """None where the language needs a sandbox to do it."""
    steps = languages.preparation(language).stub(split, keep, environment)
    try:
        next(steps)
    except StopIteration as end:
        stub: Stub = end.value
        return stub
    finally:
        steps.close()
    return None


def _touched(stub: Stub) -> Files:
    """Files that lost a body. What a stubber always takes out of a file, such as the closures of Go's package
    variables, goes with it."""
    return {path: stub.files[path] for path, account in stub.account.items() if account.stubbed}


def _emptied(files: Files, stub: Stub, back: Mapping[str, str]) -> Emptied:
    taken = [name for account in stub.account.values() for name in account.stubbed]
    never = [name for account in stub.account.values() for name in account.trivial]
    stays = {last(name) for name in back}
    gone = frozenset(map(last, (*taken, *never))) - stays
    return Emptied(files, tuple(sorted(back)), len(taken), gone)


def _check_kept(stub: Stub, start: Stub) -> None:
    """Whether too much was put back since the start."""
    lines = _kept_lines(stub) - _kept_lines(start)
    if lines > max(KEPT_LINES, KEPT_SHARE * sum(one.body_lines for one in stub.account.values())):
        raise Obstacle("kept_limit", f"{lines} lines of bodies run when it is loaded")


def _kept_lines(stub: Stub) -> int:
    return sum(account.kept_lines for account in stub.account.values())

"""A workshop: one language, one environment and the sandboxes that preparation runs in."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from kaiju_grading.files import Files, digest
from kaiju_grading.language import Compilation, Language, Programs, TestRun
from kaiju_grading.outcome import TestReport
from kaiju_grading.steps import follow
from kaiju_grading.suite import Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Assembly:
    """A tree to run tests over, and what of it is compiled together."""

    work: Files = field(repr=False)
    """Library, build files and tests."""
    library: Files = field(repr=False)
    """Of these, the library's own files."""
    parts: Mapping[str, tuple[str, ...]]
    """By name: test files and helpers of what is run together."""

    @property
    def name(self) -> str:
        return digest(self.work) + repr(sorted(self.parts.items()))


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a part of an assembly."""

    part: str
    files: tuple[str, ...]
    """Test files to collect."""
    tests: tuple[Test, ...] = ()
    """Exactly these; all that the files hold when empty."""
    seed: int = 0
    """As in TestRun."""
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """As in TestRun."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Runs commands of one task in fresh sandboxes, as many at once as there are slots."""

    backend: Backend
    language: Language
    environment: Environment
    slots: int
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=lambda: Limits(wall=180.0, cpu=180.0))
    compiled: dict[str, Programs] = field(default_factory=dict, repr=False)
    lock: anyio.Lock = field(default_factory=anyio.Lock, repr=False)

    @property
    def compiles(self) -> bool:
        """Whether the language compiles tests: those of all files at once."""
        nothing = Compilation({}, (), {}, self.environment, self.options)
        return self.language.compile(nothing) is not None

    async def run(self, command: Command) -> Result:
        """One sandbox. Raises SandboxError for faults not the command's own."""
        return await self.backend.run(command, self.limits)

    async def build(self, command: Command) -> Result:
        """As `run`, within the limits of a build."""
        return await self.backend.run(command, self.language.build_limits)

    async def test(self, assembly: Assembly, trial: Trial) -> TestReport:
        """Run a trial; a part that does not compile has no outcome, and says why."""
        work, programs = assembly.work, await self.compile(assembly)
        if programs is not None:
            if trial.part in programs.failed:
                why = programs.failed[trial.part]
                return TestReport({}, sound=False, problem=why, collect_errors=(why,))
            work = programs.files[trial.part]
        run = TestRun(
            work=work,
            environment=self.environment,
            files=trial.files,
            tests=trial.tests,
            options=self.options,
            messages=not trial.tests,
            seed=trial.seed,
            values=trial.values,
        )
        return self.language.read_tests(run, await self.run(self.language.test(run)))

    async def compile(self, assembly: Assembly) -> Programs | None:
        """Compiled once for an assembly; None where tests run from source."""
        async with self.lock:
            name = assembly.name
            if name not in self.compiled:
                sources = tuple(sorted(assembly.library))
                steps = self.language.compile(
                    Compilation(assembly.work, sources, assembly.parts, self.environment, self.options)
                )
                if steps is None:
                    return None
                self.compiled[name] = await follow(steps, self.build)
            return self.compiled[name]

    async def each(
        self, items: Iterable[Item], work: Callable[[Item], Awaitable[Answer]]
    ) -> tuple[Answer, ...]:
        """`work` on every item, at most `slots` at once; answers in the order of the items."""
        ordered = list(items)
        answers: dict[int, Answer] = {}
        free = anyio.CapacityLimiter(self.slots)

        async def one(index: int) -> None:
            async with free:
                answers[index] = await work(ordered[index])

        async with anyio.create_task_group() as group:
            for index in range(len(ordered)):
                group.start_soon(one, index)
        return tuple(answers[index] for index in range(len(ordered)))

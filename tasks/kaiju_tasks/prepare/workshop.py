"""A workshop: one language, one environment and the sandboxes that preparation runs in."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from kaiju_grading.files import Files
from kaiju_grading.language import Language, TestRun
from kaiju_grading.outcome import TestReport
from kaiju_grading.suite import Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.result import Result

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Workshop:
    """Runs commands of one task in fresh sandboxes, as many at once as there are slots."""

    backend: Backend
    language: Language
    environment: Environment
    slots: int
    options: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=lambda: Limits(wall=180.0, cpu=180.0))

    async def run(self, command: Command) -> Result:
        """One sandbox. Raises SandboxError for faults not the command's own."""
        return await self.backend.run(command, self.limits)

    async def test(
        self, work: Files, files: tuple[str, ...], tests: tuple[Test, ...] = (), seed: int = 0
    ) -> TestReport:
        """Run exactly `tests` of `files` (all that they hold when empty); `seed` as in TestRun."""
        run = TestRun(work, self.environment, files, tests, self.options, messages=not tests, seed=seed)
        return self.language.read_tests(run, await self.run(self.language.test(run)))

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

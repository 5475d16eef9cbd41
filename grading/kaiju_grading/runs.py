"""Runs of modules over one library, as written: nothing altered."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from anyio import CapacityLimiter

from kaiju_grading import languages
from kaiju_grading.files import Files
from kaiju_grading.harness import DoesNotCompile, Harness
from kaiju_grading.language import TestRun
from kaiju_grading.outcome import TestReport
from kaiju_grading.plan import RunPlan
from kaiju_grading.sandboxes import Sandboxes, read_aside
from kaiju_grading.suite import Module, Suite, Test
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command


@dataclass(frozen=True, slots=True)
class Runs:
    """One library, and where its runs are made. Compiled tests are compiled once."""

    harness: Harness
    files: Files = field(repr=False)

    @classmethod
    def of(cls, suite: Suite, files: Files, backend: Backend) -> "Runs":
        """The library `files` under the tests of `suite`."""
        language = languages.get(suite.language)
        places = CapacityLimiter(os.cpu_count() or 1)
        sandboxes = Sandboxes(backend, suite.limits, language.build_limits, places)
        return cls(Harness(suite, language, sandboxes), files)

    @property
    def modules(self) -> tuple[Module, ...]:
        return self.harness.suite.modules

    async def compiles(self, module: Module) -> bool:
        """Whether its tests compile against the library; they do where tests run from source."""
        try:
            await self.harness.test_run(self.files, module, RunPlan(module.tests))
        except DoesNotCompile:
            return False
        return True

    async def report(
        self, module: Module, tests: tuple[Test, ...], change: Callable[[TestRun], Command] | None = None
    ) -> TestReport:
        """What these tests of a module do, as written. Raises SandboxError."""
        language = self.harness.language
        try:
            run = await self.harness.test_run(self.files, module, RunPlan(tests))
        except DoesNotCompile as error:
            return TestReport({}, sound=False, problem=str(error))
        result = await self.harness.sandboxes.run((change or language.test)(run))
        return await read_aside(partial(language.read_tests, run, result))

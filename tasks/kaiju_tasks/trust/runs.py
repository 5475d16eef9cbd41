"""Runs of modules over one library, nothing altered; and processes that keep the machine busy."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

_BUSY = """import os, time
parent, end = os.getppid(), time.monotonic() + 3600
while os.getppid() == parent and time.monotonic() < end:
    sum(range(100_000))
"""
"""Ends with whoever started it, however that ended."""


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


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing but compute."""
    started = [subprocess.Popen([sys.executable, "-I", "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()

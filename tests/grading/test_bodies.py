"""Libraries that are taken apart: what their authors wrote is read in another process."""

from dataclasses import replace

import anyio
import pytest

from kaiju_grading import languages
from kaiju_grading.bodies import Bodies
from kaiju_grading.preparation import Obstacle
from kaiju_grading.sandboxes import Sandboxes
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File


@pytest.mark.parametrize("text", [b"def f(:\n", b"x = " + b"(" * 100_000 + b")" * 100_000, b"#" * 3_000_000])
def test_sources_that_cannot_be_read_are_an_obstacle_and_no_crash(
    suite: Suite, backend: Backend, text: bytes
) -> None:
    python = replace(suite, language="python")
    sandboxes = Sandboxes(backend, suite.limits, suite.limits, anyio.CapacityLimiter(1))
    bodies = Bodies(python, languages.preparation("python"), sandboxes)

    async def read() -> None:
        with anyio.fail_after(60):
            await bodies.account({"lib/a.py": File(text)})

    with pytest.raises(Obstacle) as found:
        anyio.run(read)
    assert found.value.code == "unreadable_source"

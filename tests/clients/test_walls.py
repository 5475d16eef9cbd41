"""The probe of `kaiju bench --walls` gets bits through where a wall is down, and none where it stands."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from kaiju_clients.bench.walls.channels import CHANNELS, Channel
from kaiju_clients.bench.walls.probing import Place, Probe, places, probe
from kaiju_sandbox import interpreter
from kaiju_sandbox.settings import Settings

SURE = ("hugepages", "asked", "locks")
"""Channels without noise, whatever else the machine does."""


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    memory = Path("/dev/shm")
    state = Path(tempfile.mkdtemp(prefix="kaiju-test-", dir=memory if os.access(memory, os.W_OK) else None))
    state.chmod(0o755)
    settings = Settings.load({**os.environ, "KAIJU_STATE_DIR": str(state)})
    (state / "layers").mkdir()
    with places(settings, interpreter.locate(settings)) as found:
        yield found
    shutil.rmtree(state, ignore_errors=True)


@pytest.mark.parametrize(
    "channel", [one for one in CHANNELS if one.program in SURE], ids=lambda one: one.program
)
def test_a_wall_that_is_down_lets_every_bit_through_and_one_that_is_up_none(
    place: Place, channel: Channel
) -> None:
    async def main() -> Probe:
        with anyio.fail_after(600):
            return await probe(place, channel, 1)

    found = anyio.run(main)

    if found.without is None or found.with_it is None:
        pytest.skip("no disk beside the memory, or no memory beside the disk")
    if channel.program == "hugepages" and found.without.rate == 0:
        pytest.skip("this kernel puts no pages together")
    assert found.without.right == found.without.bits
    assert found.with_it.right < found.with_it.bits

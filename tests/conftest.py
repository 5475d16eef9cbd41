"""Settings of all tests."""

import os

import hypothesis
import pytest

# The gate tries the same examples each time, to say the same of the same code; elsewhere they are drawn anew.
hypothesis.settings.register_profile("gate", derandomize=True)
if os.environ.get("KAIJU_REQUIRE_ALL"):
    hypothesis.settings.load_profile("gate")


@pytest.fixture(scope="session")
def docker_host() -> str:
    """The daemon of the second backend."""
    found = os.environ.get("KAIJU_DOCKER_HOST")
    if found is None and "KAIJU_REQUIRE_ALL" not in os.environ:
        pytest.skip("no KAIJU_DOCKER_HOST: start a daemon with .ci/docker-up")
    assert found is not None
    return found

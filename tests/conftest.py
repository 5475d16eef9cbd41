"""Settings of all tests."""

import os

import hypothesis

# The gate tries the same examples each time, to say the same of the same code; elsewhere they are drawn anew.
hypothesis.settings.register_profile("gate", derandomize=True)
if os.environ.get("KAIJU_REQUIRE_ALL"):
    hypothesis.settings.load_profile("gate")

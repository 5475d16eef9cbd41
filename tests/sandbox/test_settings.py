"""Settings come from variables and flags, and a wrong one is named."""

from pathlib import Path

import pytest

from kaiju_sandbox.settings import Settings, SettingsError


def test_a_variable_sets_a_field_and_a_flag_wins() -> None:
    loaded = Settings.load({"KAIJU_STATE_DIR": "/a", "KAIJU_SLOTS": "3"}, slots=5, backend=None)
    assert (loaded.state_dir, loaded.slots, loaded.backend) == (Path("/a"), 5, "namespace")
    assert loaded.staging_dir == Path("/a/staging")


@pytest.mark.parametrize(("name", "value"), [("SLOTS", "0"), ("SLOTS", "many"), ("FIRST_UID", "0")])
def test_a_wrong_value_names_the_variable_and_the_value(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"KAIJU_{name}.*{value}"):
        Settings.load({f"KAIJU_{name}": value})

"""Settings: documented, and refused with the variable's name."""

from pathlib import Path

import pytest

from kaiju_sandbox.settings import SettingsError
from kaiju_server.settings import ServerSettings

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_every_setting_is_documented_and_nothing_else_is() -> None:
    words = {word for row in PAGE.read_text().splitlines() for word in row.split("`") if word.isupper()}
    documented = {word for word in words if word.startswith("KAIJU_")}
    assert documented == {f"KAIJU_{name.upper()}" for name in ServerSettings.model_fields}


def test_a_list_of_hosts_is_split_at_commas() -> None:
    settings = ServerSettings.load({"KAIJU_ALLOWED_HOSTS": "a:1, b:*,"})
    assert settings.allowed_hosts == ("a:1", "b:*")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("KAIJU_REWARDS", "all"),
        ("KAIJU_MAX_WAIT", "46"),
        ("KAIJU_MAX_WAIT", "nan"),
        ("KAIJU_PORT", "70000"),
        ("KAIJU_DRAFT_SECONDS", "0"),
        ("KAIJU_DRAFT_CALLS", "-1"),
        ("KAIJU_IDLE_SECONDS", "inf"),
        ("KAIJU_WORKSPACE_FILES", "5001"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        ServerSettings.load({variable: value})

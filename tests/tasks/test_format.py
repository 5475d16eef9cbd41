"""Files of ours come back as they were written, byte for byte."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiju_tasks import environment_record
from kaiju_tasks.environment_record import EnvironmentRecord
from kaiju_tasks.errors import TaskFormatError
from kaiju_tasks.format import dump_toml

TEXTS = st.text(
    alphabet=st.one_of(st.sampled_from("ab'\"\\\n\t\r "), st.characters(exclude_categories=["Cs"]))
)


@given(TEXTS)
def test_text_survives_being_written_as_toml(text: str) -> None:
    data = dump_toml({"lock": text, "inner": {"list": [text]}})
    assert tomllib.loads(data.decode()) == {"lock": text, "inner": {"list": [text]}}


@given(TEXTS)
def test_a_lock_survives_the_environment_record(text: str) -> None:
    record = EnvironmentRecord(system="python", language_version="3.11", lock=text)
    assert environment_record.load(environment_record.dump(record)) == record


@pytest.mark.parametrize("data", [b"\xff", b"lock = ", b'lock = "x"'])
def test_an_environment_record_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(TaskFormatError, match=r"environment\.toml"):
        environment_record.load(data)

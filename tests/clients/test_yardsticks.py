"""Yardsticks of `kaiju bench`: which tasks have them."""

from pathlib import Path

import pytest

from kaiju_clients.bench.yardsticks import lay_out
from kaiju_clients.errors import UsageError
from kaiju_grading.suite import Suite
from kaiju_sandbox.environment import Environment


@pytest.mark.parametrize("language", ["go", "rust"])
def test_a_task_whose_tests_are_compiled_is_refused_before_anything_is_copied(
    tmp_path: Path, language: str
) -> None:
    suite = Suite(
        language=language,
        task_digest="sha256:t",
        environment=Environment(language, (), (), {}, {}),
        roots=("lib",),
        workspace={},
        reference={},
        shared={},
        heldout={},
        visible={},
        modules=(),
        visible_tests=(),
        cells=(),
    )
    with pytest.raises(UsageError, match="are compiled"):
        lay_out(suite, tmp_path / "native")
    assert not (tmp_path / "native").exists()

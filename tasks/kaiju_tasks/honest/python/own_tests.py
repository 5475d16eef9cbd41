"""A library with tests of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import beside

_FAILING = "def test_that_fails():\n    raise SystemExit(1)\n"
_FILES = {
    "conftest.py": "raise RuntimeError\n",
    "pytest.ini": "[pytest]\naddopts = --no-such-option\n",
    "tox.ini": "[pytest]\naddopts = --no-such-option\n",
    "tests/conftest.py": "raise RuntimeError\n",
    "tests/test_mine.py": _FAILING,
    "{root}/tests/test_inside.py": _FAILING,
    "{root}/conftest.py": "raise RuntimeError\n",
}

CASE = Case(
    name="20-own-tests",
    summary="brings tests, test settings and a conftest.py",
    apply=beside(_FILES),
)

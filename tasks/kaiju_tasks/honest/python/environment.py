"""A library that looks around."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import os as _os

import packaging.version as _version

_os.environ["A_LIBRARY"] = str(_version.Version("1.0"))
_os.environ.setdefault("PYTEST_ADDOPTS", "")
"""

CASE = Case(
    name="14-environment",
    summary="uses other packages of the environment, and sets variables",
    apply=at_import(_CODE),
)

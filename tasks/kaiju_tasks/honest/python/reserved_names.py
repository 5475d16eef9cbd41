"""A library whose names look reserved."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import in_package

_NAMES = ("_pytest_compat", "kaiju_report_tools", "plugins", "reporter", "testing", "unittest_helpers")
_CODE = "".join(f"import {{package}}.{name}\n" for name in _NAMES)

CASE = Case(
    name="19-reserved-names",
    summary="has modules whose names look like the test runner's",
    apply=in_package({f"{name}.py": "passed = True\n" for name in _NAMES}, _CODE),
)

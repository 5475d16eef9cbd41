"""A library with stub files."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import in_package

CASE = Case(
    name="22-types",
    summary="brings type stubs beside its modules",
    apply=in_package(
        {"__init__.pyi": "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n", "py.typed": ""}
    ),
)

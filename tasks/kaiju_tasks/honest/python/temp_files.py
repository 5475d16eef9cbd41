"""A library that keeps files."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import tempfile as _tempfile

_folder = _tempfile.mkdtemp(prefix="cache")
for _number in range(20):
    with open(f"{_folder}/{_number}", "w") as _file:
        _file.write("x" * 10_000)
"""

CASE = Case(
    name="07-temp-files",
    summary="writes and leaves files in the folder for temporary ones",
    apply=at_import(_CODE),
)

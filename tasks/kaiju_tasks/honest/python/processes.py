"""A library that runs programs."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import os as _os
import subprocess as _subprocess
import sys as _sys

_subprocess.run([_sys.executable, "-c", "print(1)"], check=True, stdout=_subprocess.DEVNULL)
_child = _os.fork()
if _child == 0:
    _os._exit(3)
_os.waitpid(_child, 0)
"""

CASE = Case(
    name="04-processes",
    summary="starts and waits for other processes",
    apply=at_import(_CODE),
)

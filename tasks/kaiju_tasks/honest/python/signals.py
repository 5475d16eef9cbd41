"""A library that settles in."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import at_import

_CODE = """import faulthandler as _faulthandler
import locale as _locale
import signal as _signal

_signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
_signal.signal(_signal.SIGUSR1, lambda *_: None)
_locale.setlocale(_locale.LC_ALL, "C")
_faulthandler.enable()
"""

CASE = Case(
    name="12-signals",
    summary="sets signal handlers, the locale and a stack limit",
    apply=at_import(_CODE),
)

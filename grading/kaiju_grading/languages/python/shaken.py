"""Shaken: the same run in another circumstance, by changes to our own programs for that run alone."""

from collections.abc import Callable
from dataclasses import replace

from kaiju_grading.assay import Shake
from kaiju_grading.language import TestRun
from kaiju_grading.languages.python.sandboxed import RUN
from kaiju_grading.languages.python.test import test_command
from kaiju_sandbox.command import Command, File, Tree

_SHUFFLING = '''

class Reporter(Reporter):
    """Runs what it selects in another order. What was numbered stays as it was numbered."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        import random

        yield from super().pytest_collection_modifyitems(items)
        random.Random(%d).shuffle(items)
'''
_SHIFTING = '''

def shift_clock(days):
    """Another date for everything that is loaded from now on."""
    import datetime, time

    seconds, now, now_ns = days * 86400, time.time, time.time_ns
    localtime, gmtime, ctime, strftime = time.localtime, time.gmtime, time.ctime, time.strftime
    time.time = lambda: now() + seconds
    time.time_ns = lambda: now_ns() + seconds * 10**9
    time.localtime = lambda at=None: localtime(time.time() if at is None else at)
    time.gmtime = lambda at=None: gmtime(time.time() if at is None else at)
    time.ctime = lambda at=None: ctime(time.time() if at is None else at)
    time.strftime = lambda form, at=None: strftime(form, time.localtime() if at is None else at)
    plain_date, plain = datetime.date, datetime.datetime

    class DateKind(type):
        def __instancecheck__(cls, value):
            return isinstance(value, plain_date)

        def __subclasscheck__(cls, other):
            return issubclass(other, plain_date)

    class Kind(type):
        def __instancecheck__(cls, value):
            return isinstance(value, plain)

        def __subclasscheck__(cls, other):
            return issubclass(other, plain)

    class date(plain_date, metaclass=DateKind):
        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())

    class shifted(plain, metaclass=Kind):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls):
            return cls.utcfromtimestamp(time.time())

        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())

    for kind, name in ((date, "date"), (shifted, "datetime")):
        kind.__name__ = kind.__qualname__ = name
        kind.__module__ = "datetime"
        setattr(datetime, name, kind)


shift_clock(%d)
'''
DAYS = 400
"""Of a shifted clock: another year, another weekday, never the same day of a month."""
_MAIN = '\nif __name__ == "__main__":\n'


def shaken(run: TestRun, shake: Shake, seed: int) -> Command:
    """The run under another seed, in another order or on another day."""
    if shake is Shake.SEED:
        return test_command(replace(run, seed=seed))
    command = test_command(run)
    if shake is Shake.ORDER:
        return _changed(command, "kaiju_report.py", lambda text: text + _SHUFFLING % seed)
    return _changed(command, "kaiju_main.py", lambda text: text.replace(_MAIN, _SHIFTING % DAYS + _MAIN))


def _changed(command: Command, name: str, change: Callable[[str], str]) -> Command:
    """With one of our programs changed."""
    return replace(
        command,
        inputs=tuple(
            replace(tree, files={**tree.files, name: File(change(tree.files[name].data.decode()).encode())})
            if isinstance(tree, Tree) and tree.target == RUN
            else tree
            for tree in command.inputs
        ),
    )

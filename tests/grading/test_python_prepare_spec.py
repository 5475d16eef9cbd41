"""Specifications of small libraries: every public signature and its docs, no code and no test."""

import textwrap
from collections.abc import Mapping

from kaiju_grading.languages.python.prepare import PREPARATION
from kaiju_grading.languages.python.private import find_private_names
from kaiju_grading.languages.python.spec import write_spec
from kaiju_grading.preparation import Choices, Release, Source, Split
from kaiju_sandbox.command import File

LIBRARY = '''
"""The module's words."""
import functools
from typing import overload, Protocol

LIMIT: int = 10
TABLE = {"a": lambda x: SECRET_LAMBDA}
LONG = (
    "SECRET_LONG-----------------------------------------------------------------"
    "------------------------------------------------------------------------"
)
__version__ = "1.0"

def _hidden(x):
    """Private words."""
    return SECRET_HIDDEN

def plain(a, b=2, /, c: int = 3, *args: str, d, e=lambda: SECRET_DEFAULT, **rest) -> list[int]:
    """Plain words.

    More words.
    """
    return SECRET_BODY

async def later(*, wait: float = 0.5) -> None: ...

@overload
def both(x: int) -> int: ...
@overload
def both(x: str) -> str: ...
def both(x): return x

class Base(Protocol):
    kind = "base"

class Thing(Base, dict[str, int], metaclass=type):
    """A thing."""
    count: int = 0
    """How many."""

    def __init__(self, start: int = 1):
        self.started = SECRET_START
        self._secret = start

    @property
    def name(self) -> str:
        """Its name."""
        return SECRET_NAME

    @name.setter
    def name(self, value: str) -> None: ...

    @classmethod
    def make(cls, n: int) -> "Thing": return cls()

    @functools.cached_property
    def size(self) -> int: return 1

    def _inner(self, x): return x

    class Nested:
        def deep(self, y): ...
'''
FILES = {
    "lib/__init__.py": """
        from lib.core import Thing, plain
        from lib._impl import helper
        __all__ = ['Thing', 'plain', 'helper']
    """,
    "lib/core.py": LIBRARY,
    "lib/_impl.py": "def helper(z=1):\n    'Helps.'\n    return z\ndef _own(): pass\n",
    "lib/_private.py": "def inside(): pass\n",
    "README.rst": "Title\n=====\nWords of the readme.\n",
    "docs/guide.rst": "The guide.\n",
    "docs/more/guide.md": "More.\n",
    "tests/test_a.py": """
        from lib.core import _hidden, Thing

        def test_secret():
            assert Thing()._inner(1) == 'SECRET_TEST'
    """,
}


def prepared(files: Mapping[str, str] = FILES) -> tuple[Split, Source]:
    release = Release("pkg:pypi/lib@1.0", "lib", "1.0", "0" * 64)
    tree = {path: File(textwrap.dedent(text).encode()) for path, text in files.items()}
    source = Source(release, tree, "MIT", summary="A library")
    return PREPARATION.split(source, Choices()), source


def pages() -> Mapping[str, str]:
    split, source = prepared()
    return write_spec(split, source, find_private_names(split, split.tests))


def test_every_public_signature_is_there() -> None:
    page = pages()["api-lib.core.md"]
    for line in (
        "def plain(a, b=2, /, c: int = 3, *args: str, d, e=..., **rest) -> list[int]",
        "async def later(*, wait: float = 0.5) -> None",
        "def both(x: int) -> int: ...",
        "def both(x: str) -> str: ...",
        "class Base(Protocol):",
        "class Thing(Base, dict[str, int], metaclass=type):",
        "def __init__(self, start: int = 1)",
        "@property\ndef name(self) -> str\n@name.setter\ndef name(self, value: str) -> None",
        "@classmethod\ndef make(cls, n: int) -> Thing",
        "@cached_property\ndef size(self) -> int",
        "def deep(self, y)",
    ):
        assert line in page, line


def test_docs_constants_and_attributes_are_there() -> None:
    page = pages()["api-lib.core.md"]
    for text in ("The module's words.", "Plain words.\n\nMore words.", "Its name.", "A thing."):
        assert text in page
    for line in (
        "- `LIMIT: int = 10`",
        "- `count: int = 0`: How many.",
        "- `started`",
        "- `__version__ = '1.0'`",
    ):
        assert line in page
    assert "- `LONG = ...`" in page


def test_no_body_and_no_test_text_is_there() -> None:
    assert "SECRET" not in "".join(pages().values())
    assert "test_secret" not in "".join(pages().values())


def test_private_names_stand_on_their_own_page_only_when_tests_use_them() -> None:
    split, _ = prepared()
    assert find_private_names(split, split.tests) == {"lib.core:_hidden", "lib.core:Thing._inner"}
    found = pages()
    assert "_hidden" not in found["api-lib.core.md"]
    assert "Private words." in found["private.md"]
    assert "def _inner(self, x)" in found["private.md"]
    assert "_secret" not in "".join(found.values())


def test_a_private_name_of_an_optional_import_is_there() -> None:
    files = {
        "lib/__init__.py": """
            try:
                from fast import dump as _dump
            except ImportError:
                _dump = None
                _slow = True
        """,
        "tests/test_a.py": "import lib\ndef test_a(): assert lib._dump is None and lib._slow\n",
    }
    split, source = prepared(files)
    names = find_private_names(split, split.tests)
    assert names == {"lib:_dump", "lib:_slow"}
    page = write_spec(split, source, names)["private.md"]
    assert "`lib._dump`" in page
    assert "_slow = True" in page


def test_a_private_member_is_told_though_no_test_names_the_private_class_that_has_it() -> None:
    library = """class Queue:
    @property
    def inner(self):
        return _Proxy(self)


class _Proxy:
    def __init__(self, parent):
        self._parent = parent

    def get(self):
        return self._parent
"""
    test = "from lib import Queue\ndef test_a(): assert Queue().inner._parent\n"
    split, source = prepared({"lib/__init__.py": library, "tests/test_a.py": test})
    names = find_private_names(split, split.tests)
    assert names == {"lib:_Proxy._parent"}
    assert "_parent" in write_spec(split, source, names)["private.md"]


def test_a_private_attribute_that_a_method_gives_an_instance_is_told() -> None:
    body = "        self._anchor = anchor = []\n        return anchor\n"
    library = f"class Cache(dict):\n    def clear(self):\n{body}"
    test = "from lib import Cache\ndef test_a(): assert Cache()._anchor == []\n"
    split, source = prepared({"lib/__init__.py": library, "tests/test_a.py": test})
    page = write_spec(split, source, find_private_names(split, split.tests))["private.md"]
    assert "### Attribute `lib.Cache._anchor`" in page


def test_a_private_module_is_described_when_a_public_one_hands_it_on() -> None:
    found = pages()
    assert "def helper(z=1)" in found["api-lib._impl.md"]
    assert "- `helper` from `lib._impl.helper`" in found["api-lib.md"]
    assert "api-lib._private.md" not in found


def test_the_index_comes_first_and_names_every_page() -> None:
    found = pages()
    assert next(iter(found)) == "index.md"
    assert "Words of the readme." in found["index.md"]
    for name in found:
        assert name.endswith(".md")
        assert name == "index.md" or f"`{name}`" in found["index.md"]
    assert found["docs-guide.rst.md"] == "The guide.\n"


def test_two_specifications_of_one_source_are_equal() -> None:
    assert list(pages().items()) == list(pages().items())

"""Stubs, construct by construct: bodies go, kinds and interfaces stay, other text stays as it is."""

import inspect
import textwrap
import types
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from kaiju_grading.languages.python.stub import stub_library
from kaiju_grading.preparation import FileAccount, Obstacle, Split
from kaiju_sandbox.command import File


def stub(text: str | bytes, **keep: str) -> tuple[str, FileAccount]:
    data = textwrap.dedent(text).encode() if isinstance(text, str) else text
    split = Split(
        ("lib.py",), ("lib",), library={"lib.py": File(data)}, tests={}, helpers={}, config={}, docs={}
    )
    made = stub_library(split, {f"lib.py:{name}": reason for name, reason in keep.items()})
    again = stub_library(
        Split(("lib.py",), ("lib",), library=made.files, tests={}, helpers={}, config={}, docs={}),
        {f"lib.py:{name}": reason for name, reason in keep.items()},
    )
    assert again.files == made.files, "stubbing a stub changes it"
    return made.files["lib.py"].data.decode(), made.account["lib.py"]


def loaded(text: str, **keep: str) -> types.SimpleNamespace:
    space: dict[str, Any] = {"__name__": "lib"}
    exec(compile(stub(text, **keep)[0], "lib.py", "exec"), space)
    return types.SimpleNamespace(**space)


KINDS = """
import contextlib

def plain(): return 1
def generator():
    for x in (1, 2):
        yield x
def delegating(): yield from (1, 2)
async def coroutine(): return 1
async def async_generator():
    yield 1
def returns_generator():
    def inner():
        yield 1
    return inner()
def has_generator_expression(): return list(x for x in (1,))
def yields_in_lambda(): return lambda: (yield)
@contextlib.contextmanager
def manager():
    yield 1
class A:
    def method(self): return 1
    def walk(self):
        value = yield
    @classmethod
    def made(cls): return cls()
    @staticmethod
    def free(x): return x
    @property
    def name(self): return "x"
    @name.setter
    def name(self, value): self._name = value
    @name.deleter
    def name(self): del self._name
"""
CHECKS: tuple[Callable[[Any], bool], ...] = (
    inspect.isgeneratorfunction,
    inspect.isasyncgenfunction,
    inspect.iscoroutinefunction,
)


def test_a_docstring_that_python_warns_of_is_a_docstring() -> None:
    """Who runs Python with warnings as errors gets the same stub."""
    text, _ = stub('def roots():\n    """Roots \\l."""\n    return 1\n')
    assert '"""Roots \\l."""' in text


def test_the_kind_of_every_function_stays() -> None:
    before: dict[str, Any] = {}
    exec(KINDS, before)
    after = vars(loaded(KINDS))
    for name, function in before.items():
        if inspect.isfunction(function):
            assert [check(function) for check in CHECKS] == [check(after[name]) for check in CHECKS], name
            assert inspect.signature(function) == inspect.signature(after[name])
    assert inspect.isgeneratorfunction(after["A"].walk)


def test_every_body_raises() -> None:
    lib = loaded(KINDS)
    for call in (lib.plain, lib.returns_generator, lib.A().method, lib.A.made, lambda: lib.A.free(1)):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(NotImplementedError):
        next(lib.generator())
    with pytest.raises(NotImplementedError), lib.manager():
        pass
    with pytest.raises(NotImplementedError):
        _ = lib.A().name
    with pytest.raises(NotImplementedError):
        lib.A().name = 1
    with pytest.raises(NotImplementedError):
        del lib.A().name


def test_text_outside_of_bodies_stays_byte_for_byte() -> None:
    text = '''
    #!/usr/bin/env python
    """Module."""
    X   =  {'a':1,   # odd  spacing
            "b" : 2}


    @decorator( 1,2 )
    def f( a,b = 3,*, c:int=4 )->int :   # type: ignore
        """Doc   string."""
        # comment inside
        return a+b   # more


    # between
    class  A ( object ) :
        y=1;z=2
        def m(self): return 1
        # at the end of the class

    if X :
        def g(): pass
    else :
        def g():
            return 2
    '''
    made, _ = stub(text)
    expected = (
        textwrap.dedent(text)
        .replace("    # comment inside\n    return a+b   # more\n", "    raise NotImplementedError\n")
        .replace("m(self): return 1", "m(self):\n        raise NotImplementedError")
        .replace("        return 2\n", "        raise NotImplementedError\n")
    )
    assert made == expected


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_line_endings_and_tabs_stay(ending: bytes) -> None:
    text = ending.join([b"def f():", b'\t"""Doc."""', b"\treturn 1", b"x = 1", b""])
    made, _ = stub(text)
    assert made.encode() == text.replace(b"return 1", b"raise NotImplementedError")


def test_another_encoding_stays() -> None:
    data = "# -*- coding: latin-1 -*-\nname = 'é'\ndef f():\n    return 'ü'\n".encode("latin-1")
    split = Split(
        ("lib.py",), ("lib",), library={"lib.py": File(data)}, tests={}, helpers={}, config={}, docs={}
    )
    made = stub_library(split, {}).files["lib.py"].data
    assert made == data.replace("return 'ü'".encode("latin-1"), b"raise NotImplementedError")


@pytest.mark.parametrize(
    "body",
    ["pass", "...", '"""Only words."""', "raise NotImplementedError", "raise NotImplementedError('sub')"],
)
def test_bodies_that_hide_nothing_stay(body: str) -> None:
    text = f"class A(Protocol):\n    def f(self):\n        {body}\n    def g(self): {body}\n"
    made, account = stub(text)
    assert made == text
    assert account == FileAccount(trivial=("A.f", "A.g"))


def test_overloads_stay_and_their_implementation_goes() -> None:
    text = """
    import typing
    @typing.overload
    def f(x: int) -> int: ...
    @typing.overload
    def f(x: str) -> str:
        "text"
        return x
    def f(x): return x
    """
    made, account = stub(text)
    assert "return x\n" in made
    assert made.rstrip().endswith("def f(x):\n    raise NotImplementedError")
    assert account.stubbed == ("f",)


def test_an_abstract_method_with_a_body_loses_it_and_stays_abstract() -> None:
    lib = loaded("import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def f(self): return 1\n")
    with pytest.raises(TypeError):
        lib.A()


def test_a_finaliser_does_nothing_and_says_nothing() -> None:
    lib = loaded("class A:\n    def __del__(self):\n        self.close()\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lib.A().__del__()


def test_lambdas_outside_of_functions_raise_and_keep_their_parameters() -> None:
    lib = loaded("""
    twice = lambda x, *, by=2: x * by
    table = {"a": lambda: [1 + 1], "b": lambda y: y}
    class A:
        key = lambda self: self.x + 1
    def f(key=lambda v: v.x): return key
    """)
    assert str(inspect.signature(lib.twice)) == "(x, *, by=2)"
    for call in (lambda: lib.twice(1), lib.table["a"], lib.A().key, lambda: lib.f.__defaults__[0](1)):
        with pytest.raises(NotImplementedError):
            call()
    assert lib.table["b"](7) == 7


def test_a_kept_lambda_is_found_by_its_place() -> None:
    text = "pair = (lambda x: x + 1, lambda x: x + 2)\nclass A:\n    z = lambda x: x + 3\n"
    lib = loaded(text, **{"<lambda>#1": "import", "A.<lambda>#2": "import"})
    assert (lib.pair[1](1), lib.A.z(1)) == (3, 4)
    with pytest.raises(NotImplementedError):
        lib.pair[0](1)
    account = stub(text, **{"<lambda>#1": "import"})[1]
    assert (account.lambdas, account.kept_lines, account.body_lines) == (1, 1, 3)


def test_property_setter_and_deleter_are_kept_together() -> None:
    text = KINDS
    lib = loaded(text, **{"A.name": "import"})
    item = lib.A()
    item.name = 3
    assert (item.name, item._name) == ("x", 3)
    del item.name
    assert not hasattr(item, "_name")


def test_functions_inside_a_kept_body_are_stubbed_until_they_are_kept() -> None:
    text = """
    def decorator(f):
        '''Doc.'''
        def wrapper(*args):
            prepared = args
            return f(*prepared)
        return wrapper
    """
    made, account = stub(text, decorator="import")
    assert "return wrapper" in made
    assert "prepared" not in made
    assert account.kept == {"decorator": "import"}
    assert account.stubbed == ("decorator.wrapper",)
    assert (account.body_lines, account.kept_lines) == (4, 2)
    whole, account = stub(text, **{"decorator": "import", "decorator.wrapper": "import"})
    assert whole == textwrap.dedent(text)
    assert account.kept_lines == account.body_lines == 4


def test_descriptors_and_metaclasses_keep_their_form() -> None:
    text = """
    class Meta(type):
        def __new__(mcs, name, bases, space): return super().__new__(mcs, name, bases, space)
    class Field:
        def __set_name__(self, owner, name): self.name = name
        def __get__(self, instance, owner): return 1
    class A(metaclass=Meta):
        field = Field()
        __slots__ = ("a",)
    """
    made, account = stub(text)
    assert account.stubbed == ("Meta.__new__", "Field.__set_name__", "Field.__get__")
    assert "class A(metaclass=Meta):\n    field = Field()\n" in made
    lib = loaded(text, **{"Meta.__new__": "import", "Field.__set_name__": "import"})
    with pytest.raises(NotImplementedError):
        _ = lib.A().field


def test_a_one_line_docstring_with_code_behind_it_keeps_only_the_docstring() -> None:
    made, _ = stub('def f(): "doc"; return 1\ndef g():\n    "doc"; return 1\n')
    assert "return" not in made
    assert made.count('"doc"') == 2


def test_a_file_that_does_not_parse_is_an_obstacle_with_its_line() -> None:
    with pytest.raises(Obstacle) as caught:
        stub("x = 1\ndef f(:\n    pass\n")
    assert caught.value.code == "unreadable_source"
    assert "lib.py" in caught.value.detail
    assert "line 2" in caught.value.detail


def test_the_account_counts_lines_of_code_only() -> None:
    _, account = stub('''
    def f():
        """Doc
        string."""
        # comment

        x = 1
        return x
    ''')
    assert account == FileAccount(stubbed=("f",), body_lines=2)

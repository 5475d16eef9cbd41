"""Traces of a solution, wherever an agent's code could read them, and what is none: everybody has it."""

import ast
import gzip
import io
import subprocess
import tarfile
import textwrap
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from ruff import find_ruff_bin  # type: ignore[import-untyped]

from kaiju_grading.files import Files
from kaiju_grading.suite import Suite
from kaiju_sandbox.command import File, Layer
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.limits import Limits
from kaiju_tasks.texts import MAX_BINARY
from kaiju_tasks.traces import find_traces, fingerprints

LIBRARY = Path(textwrap.__file__).read_text()


def without_bodies(content: str, every: int = 1) -> str:
    """The body of each function less its docstring is taken out, or of every second, third, ... one."""
    lines = content.splitlines(keepends=True)
    functions = [node for node in ast.walk(ast.parse(content)) if isinstance(node, ast.FunctionDef)]
    for node in functions[::every]:
        head = node.body[1:] if ast.get_docstring(node) else node.body
        if head and lines[head[0].lineno - 1]:
            first, last = head[0].lineno, head[-1].end_lineno or 0
            lines[first - 1 : last] = [" " * head[0].col_offset + "pass\n", *[""] * (last - first)]
    return "".join(lines)


def reformatted(content: str) -> str:
    """Tabs, other quotes, much shorter lines."""
    wanted = ["line-length=60", "format.indent-style='tab'", "format.quote-style='single'"]
    argv = [find_ruff_bin(), "format", "--isolated", "-"]
    argv += [part for setting in wanted for part in ("--config", setting)]
    return subprocess.run(argv, input=content, capture_output=True, text=True, check=True).stdout


def wheel(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vendored/inside.py", data)
    return packed.getvalue()


def sdist(data: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("copy-1.0/inside.py")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


HALF = without_bodies(LIBRARY, 2)
COPIES = {
    "renamed.txt": LIBRARY.encode(),
    "reformatted.py": reformatted(LIBRARY).encode(),
    "half.py": HALF.encode(),
    "half_reformatted.py": reformatted(HALF).encode(),
    "large.txt": b"#" * (MAX_BINARY + 1) + b"\n" + LIBRARY.encode(),
    "pip.whl": wheel(LIBRARY.encode()),
    "program.pyz": b"#!/usr/bin/env python3\n" + wheel(LIBRARY.encode()),
    "pip.tar.gz": sdist(LIBRARY.encode()),
    "nested.zip": wheel(sdist(HALF.encode())),
    "source.gz": gzip.compress(LIBRARY.encode()),
}
INSIDE = {
    "pip.whl": "!vendored/inside.py",
    "program.pyz": "!vendored/inside.py",
    "pip.tar.gz": "!!copy-1.0/inside.py",
    "nested.zip": "!vendored/inside.py!!copy-1.0/inside.py",
    "source.gz": "!",
}
STUB = {"lib/a.py": File(without_bodies(LIBRARY).encode())}


def a_suite(
    layers: dict[str, Path], library: str, *, workspace: Files | None = None, visible: Files | None = None
) -> Suite:
    mounted = tuple(Layer(target, path) for target, path in layers.items())
    keys = tuple(layers)
    return Suite(
        language="python",
        task_digest="sha256:x",
        environment=Environment("python", mounted, keys, {}, {}, public=("/kaiju/env/python",)),
        roots=("lib",),
        workspace=workspace or {},
        reference={"lib/a.py": File(library.encode())},
        shared={},
        heldout={},
        visible=visible or {},
        modules=(),
        visible_tests=(),
        cells=(),
        options={},
        limits=Limits(),
        lint_baseline=(),
    )


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_in_a_layer_is_found_whatever_it_is_called_and_looks_like(name: str, tmp_path: Path) -> None:
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / name).write_bytes(COPIES[name])
    found = find_traces(a_suite({"/kaiju/env/venv": tmp_path}, LIBRARY), STUB, {})
    assert found[-1].where == f"/kaiju/env/venv/site-packages/{name}{INSIDE.get(name, '')}"


SHORT = """def rank(values):
    # Factorial number system, most significant digit first.
    digits = sorted(range(len(values)))
    total = 0
    for value in values:
        place = digits.index(value)
        total = total * len(digits) + place
        digits.pop(place)
    return total
"""


def test_a_short_function_is_found_without_its_comments_and_in_another_layout() -> None:
    suite = a_suite({}, SHORT)
    stub = {"lib/a.py": File(without_bodies(SHORT).encode())}
    for copy in (ast.unparse(ast.parse(SHORT)), reformatted(SHORT)):
        assert find_traces(suite, stub, {"page.md": copy})


SIGNATURE = """def poll(
    self, source: Signal[Item], context: Context[Waker], deadline: float, limit: int | None = 7
) -> Poll[Optional[Item]]:
    return """


@pytest.mark.parametrize(
    ("body", "other", "found"),
    [
        ("self.waiting.pop()", "self.items.clear(limit)", False),
        ("deadline * 2 - source.rate + max(context.floor, 0)", "", True),
        ("pick(one.rate for one in context if one.at > deadline and not one.closed)", "", True),
    ],
)
def test_a_signature_tells_nothing_and_one_long_expression_does(body: str, other: str, found: bool) -> None:
    library, double = (SIGNATURE + line for line in (body, other or body))
    stub = {"lib/a.py": File(SIGNATURE.replace("return", "raise NotImplementedError").encode())}
    suite = a_suite({}, library, visible={"tests/double.py": File(double.encode())})
    assert bool(find_traces(suite, stub, {})) is found


COMMENTED = """class Event:
    def __init__(self, priority):
        self.priority = priority
        #: Key for sorting events. Consists of the priority (lower value is more important), the time at which
        #: the request was made (earlier requests are more important) and finally the preemption flag.
        self.key = priority
        '''What is compared, and it is said here at such length that it has more than twenty words in a row,
        as the documentation of an attribute may well have when its author is fond of writing.'''
"""


def test_documentation_that_quotes_the_comments_of_a_body_is_no_trace() -> None:
    suite = a_suite({}, COMMENTED)
    stub = {"lib/a.py": File(without_bodies(COMMENTED).encode())}
    comment, text = COMMENTED.split("#: ", 1)[1].split("'''")[:2]
    for prose in (comment.replace("#: ", ""), text):
        assert find_traces(suite, stub, {"page.md": prose}) == ()


def test_documentation_that_quotes_a_docstring_of_the_stub_is_no_trace() -> None:
    body = HALF.partition("\n")[2]
    stub = {
        "lib/a.py": File(
            f'"""An example of how it may be written.\n\n{body}"""\n'.encode() + STUB["lib/a.py"].data
        )
    }
    assert find_traces(a_suite({}, LIBRARY), STUB, {"page.md": body}) != ()
    assert find_traces(a_suite({}, LIBRARY), stub, {"page.md": body}) == ()


def test_a_copy_among_the_files_beside_an_agents_code_is_found() -> None:
    files = {"tests/helper.py": File(HALF.encode())}
    for suite, pages, where in (
        (a_suite({}, LIBRARY, workspace=files), {}, "workspace/tests/helper.py"),
        (a_suite({}, LIBRARY, visible=files), {}, "tests/visible/tests/helper.py"),
        (a_suite({}, LIBRARY), {"api.md": HALF}, "spec/api.md"),
    ):
        assert [trace.where for trace in find_traces(suite, STUB, pages)] == [where]


MESSAGES = b"\xde\x12\x04\x95\0\0" + b"".join(f"message {n} says {n}\0".encode() for n in range(40))


def test_a_file_that_was_not_removed_is_no_trace_even_when_no_submission_may_hold_it() -> None:
    kept = {"lib/messages.mo": File(MESSAGES), "lib/words.dat": File(lines("plain", 40).encode())}
    suite = a_suite({}, LIBRARY, workspace=STUB | kept)
    suite = replace(suite, reference={**suite.reference, **kept})
    assert find_traces(suite, STUB, {}) == ()
    assert find_traces(replace(suite, workspace={}, visible={"again.mo": File(MESSAGES)}), STUB, {}) == ()
    again = {"again.dat": kept["lib/words.dat"]}
    assert [trace.where for trace in find_traces(replace(suite, workspace={}, visible=again), STUB, {})]


def test_what_a_trace_tells_can_be_printed(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a\x1b[2J\n.py", b"\x1b[2J\0\xff" + LIBRARY.encode())
    (tmp_path / "odd.zip").write_bytes(packed.getvalue())
    (found,) = find_traces(a_suite({"/kaiju/env/venv": tmp_path}, LIBRARY), STUB, {})
    assert found.where == "/kaiju/env/venv/odd.zip!a\\x1b[2J\\n.py"
    assert found.words.isprintable()


def test_the_stub_itself_and_broken_archives_are_no_trace(tmp_path: Path) -> None:
    (tmp_path / "broken.whl").write_bytes(wheel(LIBRARY.encode())[20:])
    (tmp_path / "broken.gz").write_bytes(gzip.compress(LIBRARY.encode())[:40])
    suite = a_suite({"/kaiju/env/venv": tmp_path}, LIBRARY, workspace=STUB)
    assert find_traces(suite, STUB, {"api.md": STUB["lib/a.py"].data.decode()}) == ()


def lines(word: str, count: int) -> str:
    return "".join(f"    {word}_number_{number} = {number}\n" for number in range(count))


@pytest.mark.parametrize(
    ("borrowed", "where"),
    [
        (14, ["/kaiju/env/venv/copy.py"]),
        (50, ["/kaiju/env/python/lib/standard.py", "/kaiju/env/venv/copy.py", "/kaiju/env/venv/more.py"]),
    ],
)
def test_a_little_of_the_languages_own_library_is_no_trace(
    borrowed: int, where: list[str], tmp_path: Path
) -> None:
    texts = {
        "python/lib/standard.py": lines("borrowed", borrowed),
        "venv/copy.py": lines("own", 20),
        "venv/more.py": lines("borrowed", borrowed),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    layers = {"/kaiju/env/python": tmp_path / "python", "/kaiju/env/venv": tmp_path / "venv"}
    suite = a_suite(layers, lines("own", 200) + lines("borrowed", borrowed))
    assert [trace.where for trace in find_traces(suite, {}, {})] == where


def test_parameters_that_are_handed_on_are_no_fingerprint() -> None:
    text = "".join(f"    parameter_{number}=parameter_{number},\n" for number in range(30))
    assert fingerprints({"lib/a.py": File(text.encode())}, {}) == frozenset()
    assert fingerprints({"lib/a.py": File(lines("own", 20).encode())}, {})

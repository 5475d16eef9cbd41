"""A library with tests of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import beside

_FAILING = "#[test]\nfn fails() {\n    panic!()\n}\n"
_FILES = {
    "tests/mine.rs": _FAILING,
    "tests/common/mod.rs": "pub fn helper() {}\n",
    "benches/speed.rs": "fn main() {\n    panic!()\n}\n",
    "examples/show.rs": "nonsense\n",
    "src/tests/inside.rs": _FAILING,
}

CASE = Case(
    name="19-own-tests",
    summary="brings tests that fail, in its files and beside them",
    apply=beside(_FILES),
)

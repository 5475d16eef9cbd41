"""A library with build files of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import beside

_FILES = {
    ".cargo/config.toml": "[build]\nrustflags = ['--no-such-flag']\n",
    "Makefile": "all:\n\tfalse\n",
    "build.rs": "fn main() {\n    panic!()\n}\n",
    "clippy.toml": "nonsense\n",
    "rust-toolchain.toml": "[toolchain]\nchannel = 'none'\n",
    "rustfmt.toml": "nonsense\n",
    "src/main.rs": "fn main() {\n    panic!()\n}\n",
}

CASE = Case(
    name="21-own-build",
    summary="brings a build script, settings of cargo and its tools, and a program",
    apply=beside(_FILES),
)

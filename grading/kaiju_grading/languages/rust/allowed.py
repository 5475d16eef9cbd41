"""Which paths a Rust submission may hold: sources of the library and the data beside them."""

import re

from kaiju_grading.files import under

DATA_SUFFIXES = frozenset(
    {".bin", ".csv", ".dat", ".json", ".md", ".pest", ".ron", ".sql", ".tsv", ".txt", ".xml", ".yaml", ".yml"}
)
CONTROL_FILES = frozenset(
    {
        *("build.rs", "cargo.toml", "cargo.lock", "clippy.toml", ".clippy.toml"),
        *("rustfmt.toml", ".rustfmt.toml", "rust-toolchain", "rust-toolchain.toml"),
    }
)
"""File names that cargo, rustup or a lint tool obeys wherever they find them."""
PROGRAM = re.compile(r"src/(main\.rs|bin/.+)")
"""Paths at which cargo finds programs by itself."""
TEST_FOLDERS = frozenset({"tests", "benches", "examples", "target", "vendor"})


def admits(path: str, roots: tuple[str, ...]) -> str | None:
    """None if a submission may hold this path, else the reason in words an agent can act on."""
    if not under(path, roots):
        return f"lies outside the library; put sources below {' or '.join(roots)}"
    *folders, name = path.split("/")
    if any(folder.startswith(".") for folder in folders) or name.startswith("."):
        return "hidden files and folders are not taken"
    if name.lower() in CONTROL_FILES:
        return f"{name} steers cargo or its tools; it is the task's own"
    if PROGRAM.fullmatch(path):
        return "programs are not taken; the task is the library"
    if folders and folders[0] in TEST_FOLDERS:
        return f"{folders[0]}/ is not taken; it is the task's own"
    suffix = "." + name.rpartition(".")[2] if "." in name else ""
    if suffix != ".rs" and suffix not in DATA_SUFFIXES:
        allowed = ", ".join(sorted({".rs"} | DATA_SUFFIXES))
        return f"suffix {suffix or '(none)'!r} is not taken; allowed: {allowed}"
    return None

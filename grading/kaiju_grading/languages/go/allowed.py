"""Which paths a Go submission may hold: Go source that is no test. Everything else is the task's own."""

from kaiju_grading.files import under

CONTROL_FILES = frozenset({"go.mod", "go.sum", "go.work", "go.work.sum"})
OWN_FOLDERS = frozenset({"testdata", "vendor"})


def admits(path: str, roots: tuple[str, ...]) -> str | None:
    """None if a submission may hold this path, else the reason in words an agent can act on."""
    if not under(path, roots):
        return f"lies outside the library; put sources below {' or '.join(roots)}"
    *folders, name = path.split("/")
    for folder in folders:
        if folder in OWN_FOLDERS:
            return f"folder {folder}/ is the task's own"
        if folder.startswith((".", "_")):
            return f"the go command does not look into {folder}/; it is not taken"
    if name in CONTROL_FILES:
        return f"{name} decides what is built; it is the task's own"
    if name.endswith("_test.go"):
        return f"test file {name} is not taken; the tests are the task's own"
    if name.startswith((".", "_")):
        return f"the go command does not look at {name}; it is not taken"
    if not name.endswith(".go"):
        return "only .go files are taken; other files are the task's own"
    return None


def is_test(path: str) -> bool:
    """Whether the go command takes this path for a test file."""
    return path.endswith("_test.go")


def is_source(path: str) -> bool:
    """Whether the go command compiles this path into a library."""
    return path.endswith(".go") and not is_test(path)

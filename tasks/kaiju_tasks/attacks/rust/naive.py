"""A careless grader of Rust: `cargo test` in the agent's tree, its exit status believed."""

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.languages.rust.inline import source_of
from kaiju_grading.languages.rust.layout import Tests, naming
from kaiju_grading.languages.rust.manifest import FILE, LOCK, with_tests
from kaiju_grading.languages.rust.sandboxed import CARGO, FLAGS, TARGET, TARGET_SIZE, TOOLCHAIN, WARM, lock_of
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.command import Command, File, Scratch, Tree

_SCRIPT = f'cp -a {WARM}/. {TARGET}/ && exec cargo test --offline --quiet "$@"'


def naive(suite: Suite, tree: Files, module: Module) -> Command:
    """Inline tests are appended to the agent's files as they are, test programs laid beside them and added to
    the agent's manifest."""
    held = {**suite.shared, **{path: suite.heldout[path] for path in module.mounted}}
    tests = Tests.of(held, ())
    work = {**tree, **{path: file for path, file in held.items() if path not in tests.inline}}
    for data in tests.inline.values():
        path = source_of(data)
        own = work[path].data if path in work else b""
        work[path] = File(own + b"\n" + data)
    roots = {name: path for path, name in tests.programs.items()}
    work[FILE] = File(with_tests(work[FILE].data.decode(), roots).encode())
    names = naming(tests, dict.fromkeys(tests.programs, ""))
    programs = sorted({tests.programs[path] for path in module.files if path in tests.programs})
    inline = any(path in tests.inline or path in tests.whole for path in module.files)
    targets = [*(["--lib"] if inline else []), *(word for name in programs for word in ("--test", name))]
    chosen = [names.name_of(test.id) for test in module.tests]
    return Command(
        argv=("/bin/sh", "-c", _SCRIPT, "test", *targets, "--", "--exact", *chosen),
        cwd=WORK,
        env={
            **suite.environment.variables,
            "CARGO_HOME": CARGO,
            "CARGO_TARGET_DIR": TARGET,
            "HOME": "/tmp",  # noqa: S108 - inside the sandbox, private to it
            "RUSTFLAGS": FLAGS,
            "PATH": f"{TOOLCHAIN}/bin:/usr/bin:/bin",
        },
        inputs=(
            *suite.environment.layers,
            Tree(WORK, {**work, LOCK: File(lock_of(suite.environment))}),
        ),
        scratch=(Scratch(TARGET, TARGET_SIZE),),
        system=suite.environment.system,
    )

"""A careless grader of Python: pytest in the agent's tree, its exit status believed."""

from kaiju_grading.files import Files
from kaiju_grading.language import WORK
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.command import Command, Tree


def naive(suite: Suite, tree: Files, module: Module) -> Command:
    folders = suite.options.get("path", "").split() or ["src", "."]
    work = {**tree, **suite.shared, **{path: suite.heldout[path] for path in module.mounted}}
    return Command(
        argv=(suite.environment.programs["python"], "-B", "-m", "pytest", "-q", *module.files),
        cwd=WORK,
        env={
            **suite.environment.variables,
            "HOME": "/tmp",  # noqa: S108 - inside the sandbox, private to it
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": ":".join(f"{WORK}/{folder}" for folder in folders),
        },
        inputs=(*suite.environment.layers, Tree(WORK, work)),
        system=suite.environment.system,
    )

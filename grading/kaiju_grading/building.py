"""Building an agent's whole tree, build files and all, as its ecosystem builds it: does it build itself?

This runs code of the tree (a build script, a build backend). That stands apart from every verdict: other
sandboxes, no held-out file in reach, and nobody but the record reads what it says.
"""

from dataclasses import replace

from kaiju_grading import languages
from kaiju_grading.compose import library_tree
from kaiju_grading.files import Files
from kaiju_grading.language import Library
from kaiju_grading.own_build import BuildsItself, OwnBuild, not_measured
from kaiju_grading.steps import follow
from kaiju_grading.submission import Submission, admitted
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import Command
from kaiju_sandbox.limits import MIB, Limits
from kaiju_sandbox.result import Result

SECONDS = 300.0
"""Of wall clock, for one own build."""
REPORT = 1 * MIB
"""Bytes on the result channel."""
UNTOUCHED = "the workspace that the task gives does not build here either"


async def build_itself(suite: Suite, submission: Submission, backend: Backend) -> OwnBuild:
    """Build the tree that a submission came from; where it has none, its library in the task's workspace.

    What an untouched workspace cannot do either is not measured. Raises SandboxError for faults of the
    machine.
    """
    found = await _build(suite, _tree(suite, submission), submission.files, backend)
    if found.outcome is BuildsItself.NO:
        stub = admitted(suite.workspace, suite.roots, languages.get(suite.language))
        untouched = await _build(suite, suite.workspace, stub, backend)
        if untouched.outcome is BuildsItself.NO:
            return not_measured(UNTOUCHED)
    return found


def _tree(suite: Suite, submission: Submission) -> Files:
    if submission.beside is None:
        return library_tree(suite, submission.files)
    return dict(submission.beside) | dict(submission.files)


async def _build(suite: Suite, work: Files, sources: Files, backend: Backend) -> OwnBuild:
    language = languages.get(suite.language)
    limits = _limits(language.build_limits)

    async def run(command: Command) -> Result:
        return await backend.run(command, limits)

    tree = Library(work, tuple(sorted(sources)), suite.environment, suite.options)
    return await follow(language.own_build(tree), run)


def _limits(limits: Limits) -> Limits:
    return replace(limits, wall=SECONDS, cpu=2 * SECONDS, report=REPORT)

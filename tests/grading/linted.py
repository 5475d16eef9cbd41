"""A lint of a tree in a real sandbox, as each language does it."""

from collections.abc import Mapping

import anyio

from kaiju_grading import languages
from kaiju_grading.language import Library
from kaiju_grading.report import LintReport
from kaiju_sandbox.backend import Backend
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment


def linted(
    language: str, backend: Backend, environment: Environment, files: Mapping[str, str], *sources: str
) -> LintReport:
    """`sources` are what a submission would hold; without any, all files."""
    chosen = languages.get(language)
    work = {path: File(text.encode()) for path, text in files.items()}
    library = Library(work, sources or tuple(work), environment)

    async def body() -> LintReport:
        with anyio.fail_after(240):
            result = await backend.run(chosen.lint(library), chosen.build_limits)
            return chosen.read_lint(result, library.sources)

    return anyio.run(body)

"""Runner settings that a task's tests need, found in the tests and the upstream configuration."""

from collections.abc import Iterable

from kaiju_grading.languages.python.imports import Scope
from kaiju_grading.languages.python.layout import import_folder
from kaiju_grading.languages.python.metadata import Metadata
from kaiju_grading.languages.python.requirements import plugin_distributions

_PLUGINS = {
    "pytest-asyncio": "pytest_asyncio.plugin",
    "pytest-freezer": "pytest_freezer",
    "pytest-httpx": "pytest_httpx",
    "pytest-mock": "pytest_mock",
    "pytest-trio": "pytest_trio.plugin",
    "requests-mock": "requests_mock.contrib._pytest_plugin",
}
"""Distributions to the module of their `pytest11` entry point: plugins are named, never found."""
_CARRIED = ("asyncio_mode", "asyncio_default_fixture_loop_scope")
"""Settings of plugins that change what a test is. Every other upstream setting is ours to decide."""


def infer_options(scope: Scope, metadata: Metadata, roots: Iterable[str]) -> dict[str, str]:
    """TestRun.options: `import_mode`, `plugins` (separated by spaces), `ini` and `path` (lines)."""
    folders = dict.fromkeys(import_folder(root) or "." for root in roots)
    options: dict[str, str] = {"path": "\n".join(dict.fromkeys([*folders, "."]))}
    if scope.bare:
        options["import_mode"] = "prepend"
    plugins = [_PLUGINS[name] for name in plugin_distributions(scope) if name in _PLUGINS]
    if plugins:
        options["plugins"] = " ".join(plugins)
    lines = [f"{name}={metadata.pytest[name]}" for name in _CARRIED if name in metadata.pytest]
    if lines and "pytest_asyncio.plugin" in plugins:
        options["ini"] = "\n".join(lines)
    return options

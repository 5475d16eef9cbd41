"""A library with helper scripts."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import beside

_FILES = {
    "Makefile": "all:\n\tfalse\n",
    "noxfile.py": "raise RuntimeError\n",
    "scripts/generate.py": "raise SystemExit(1)\n",
    "setup.cfg": "[tool:pytest]\naddopts = --no-such-option\n",
    "{root}/notes.md": "# Notes\n",
    "{root}/table.json": "{}\n",
}

CASE = Case(
    name="21-own-scripts",
    summary="brings scripts, data and a build file of its own",
    apply=beside(_FILES),
)

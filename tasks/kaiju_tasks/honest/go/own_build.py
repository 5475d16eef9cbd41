"""A library with build files of its own."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import beside

_FILES = {
    ".golangci.yml": "linters: none\n",
    "Makefile": "all:\n\tfalse\n",
    "go.work": "go 1.24\n\nuse ./elsewhere\n",
    "vendor/modules.txt": "# example.com/x v1.0.0\n",
    "scripts/generate.go": "//go:build ignore\n\npackage main\n\nfunc main() { nonsense }\n",
    "cmd/odd/main.go": 'package main\n\nimport "os"\n\nfunc main() { os.Exit(1) }\n',
}

CASE = Case(
    name="19-own-build",
    summary="brings a Makefile, a workspace, a vendor folder and programs",
    apply=beside(_FILES),
)

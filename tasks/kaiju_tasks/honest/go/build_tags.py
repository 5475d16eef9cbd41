"""A library for many platforms."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import in_packages

_FILES = {
    "odd_windows.go": "package {package}\n\nfunc oddPlace() string { return nonsense }\n",
    "odd_linux.go": "package {package}\n\nfunc oddPlace() string { return `/` }\n",
    "odd_tag.go": "//go:build odd || !go1.18\n\npackage {package}\n\nfunc oddPlace() int { return 1 }\n",
    "odd_ignored.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
}

CASE = Case(
    name="21-build-tags",
    summary="has files for other platforms, tags and versions, some of which do not compile",
    apply=in_packages(_FILES),
)

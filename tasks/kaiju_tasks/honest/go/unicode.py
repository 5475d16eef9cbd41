"""A library in another alphabet."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.go.changing import in_packages

_CODE = """package {package}

type größe struct{ länge int }

func (g größe) Δ() int { return g.länge * 1 }

func init() {
	if (größe{3}).Δ() != 3 {
		panic("größe")
	}
}
"""

CASE = Case(
    name="16-unicode",
    summary="has files and identifiers beyond ASCII",
    apply=in_packages({"größen.go": _CODE}),
)

"""A library in another alphabet."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.python.changing import in_package

_MODULE = 'grüße = "hallo"\nΔ = 1\n\n\ndef größe(länge):\n    return länge * Δ\n'
_CODE = "from {package}.größen import größe\n\nif größe(3) != 3:\n    raise ImportError(größe)\n"

CASE = Case(
    name="18-unicode",
    summary="has files and identifiers beyond ASCII",
    apply=in_package({"größen.py": _MODULE}, _CODE),
)

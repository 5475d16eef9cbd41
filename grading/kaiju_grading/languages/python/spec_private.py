"""The page of non-public names that have to exist: something outside of their module relies on them."""

from collections.abc import Iterable, Mapping

import griffe

from kaiju_grading.languages.python.spec_api import (
    attribute_line,
    class_entry,
    function_entry,
    property_entry,
)


def private_page(modules: Mapping[str, griffe.Module], names: Iterable[str]) -> str:
    """`names` as `package.module:qualified.name`; those that the source does not define are left out."""
    lines = ["# Non-public names that have to exist", ""]
    module_shown = ""
    for name in sorted(names):
        dotted, _, qualified = name.partition(":")
        entry = _entry(modules, dotted, qualified)
        if entry and dotted != module_shown:
            lines += [f"## In `{dotted}`", ""]
            module_shown = dotted
        lines += entry
    return "\n".join(lines).rstrip() + "\n"


def _entry(modules: Mapping[str, griffe.Module], dotted: str, qualified: str) -> list[str]:
    item: griffe.Object | griffe.Alias | None = modules.get(dotted)
    for part in qualified.split("."):
        owner = item
        item = item.members.get(part) if item is not None and not isinstance(item, griffe.Alias) else None
    if isinstance(item, griffe.Function):
        return function_entry(item, "###")
    if isinstance(item, griffe.Class):
        return class_entry(item, "###")
    if isinstance(item, griffe.Attribute):
        if "property" in item.labels:
            return property_entry(item, "###")
        return [f"### Attribute `{item.path}`", "", attribute_line(item), ""]
    if isinstance(item, griffe.Alias):
        return [f"### Name `{dotted}.{qualified}`", "", f"Imported from `{item.target_path}`.", ""]
    if isinstance(owner, griffe.Class):
        # Outside of __init__ griffe does not see what a method gives its instance.
        return [f"### Attribute `{dotted}.{qualified}`", "", "Of instances; a method gives it to them.", ""]
    return []

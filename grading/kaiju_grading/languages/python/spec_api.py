"""One page of the API reference: the public names of a module with signatures and docs, without any body."""

from collections.abc import Iterable, Iterator

import griffe

MAX_VALUE = 120
"""Characters of a constant's value that are shown."""
_HIDDEN = "..."


def module_page(module: griffe.Module) -> str:
    """Markdown for one module."""
    lines = [f"# Module `{module.path}`", "", *documentation(module)]
    handed_on = [_handed_on(alias) for alias in _aliases(module)]
    if handed_on:
        lines += ["## Names handed on from other modules", "", *sorted(handed_on), ""]
    lines += _attributes(module, "## Module attributes")
    for member in module.members.values():
        if isinstance(member, griffe.Function) and is_public(member.name):
            lines += function_entry(member, "##")
        elif isinstance(member, griffe.Class) and is_public(member.name):
            lines += class_entry(member, "##")
    return "\n".join(lines).rstrip() + "\n"


def class_entry(item: griffe.Class, level: str) -> list[str]:
    """A class with its public members; special methods count as public."""
    bases = [str(base) for base in item.bases] + [f"{name}={value}" for name, value in item.keywords.items()]
    head = f"class {item.name}({', '.join(bases)}):" if bases else f"class {item.name}:"
    lines = [f"{level} Class `{item.path}`", "", *_code([*_decorators(item), head])]
    lines += documentation(item)
    lines += _attributes(item, f"{level}# Attributes")
    for member in item.members.values():
        if not is_public(member.name):
            continue
        if isinstance(member, griffe.Function):
            lines += function_entry(member, level + "#")
        elif isinstance(member, griffe.Class):
            lines += class_entry(member, level + "#")
        elif isinstance(member, griffe.Attribute) and "property" in member.labels:
            lines += property_entry(member, level + "#")
    return lines


def function_entry(item: griffe.Function, level: str) -> list[str]:
    """A function or method with its overloads."""
    kind = "Function" if isinstance(item.parent, griffe.Module) else "Method"
    code: list[str] = []
    for overload in item.overloads or ():
        code += ["@overload", f"{signature(overload)}: ..."]
    code += [*_decorators(item), signature(item)]
    return [f"{level} {kind} `{item.path}`", "", *_code(code), *documentation(item)]


def property_entry(item: griffe.Attribute, level: str) -> list[str]:
    """A property: what reads it, and whether it can be set and deleted."""
    returns = f" -> {item.annotation}" if item.annotation is not None else ""
    decorator = "@cached_property" if "cached" in item.labels else "@property"
    code = [decorator, f"def {item.name}(self){returns}"]
    if item.setter is not None:
        code += [f"@{item.name}.setter", signature(item.setter)]
    if item.deleter is not None:
        code += [f"@{item.name}.deleter", signature(item.deleter)]
    return [f"{level} Property `{item.path}`", "", *_code(code), *documentation(item)]


def attribute_line(item: griffe.Attribute) -> str:
    """`NAME: annotation = value`; a value that a function body computes is not shown."""
    annotation = f": {item.annotation}" if item.annotation is not None else ""
    value = "" if item.value is None or _set_in_body(item) else f" = {shown_value(str(item.value))}"
    line = f"- `{item.name}{annotation}{value}`"
    text = documentation(item)
    return line + (": " + " ".join(" ".join(text).split()) if text else "")


def signature(item: griffe.Function) -> str:
    """`async def name(parameters) -> annotation`, defaults as the source writes them."""
    returns = f" -> {item.returns}" if item.returns is not None else ""
    word = "async def" if "async" in item.labels else "def"
    return f"{word} {item.name}({', '.join(_parameters(item.parameters))}){returns}"


def shown_value(text: str) -> str:
    """Short values as they are; a lambda is code and is not shown."""
    return _HIDDEN if "lambda" in text or len(text) > MAX_VALUE or "\n" in text else text


def documentation(item: griffe.Object) -> list[str]:
    return [item.docstring.value.rstrip(), ""] if item.docstring and item.docstring.value.strip() else []


def is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _parameters(parameters: Iterable[griffe.Parameter]) -> Iterator[str]:
    """With the `/` and `*` that separate kinds."""
    kinds = griffe.ParameterKind
    only_by_position, starred = False, False
    for parameter in parameters:
        if only_by_position and parameter.kind is not kinds.positional_only:
            yield "/"
        only_by_position = parameter.kind is kinds.positional_only
        if parameter.kind is kinds.keyword_only and not starred:
            yield "*"
        starred = starred or parameter.kind in {kinds.var_positional, kinds.keyword_only}
        yield _parameter(parameter)
    if only_by_position:
        yield "/"


def _parameter(parameter: griffe.Parameter) -> str:
    kinds = griffe.ParameterKind
    stars = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(parameter.kind or kinds.keyword_only, "")
    annotation = f": {parameter.annotation}" if parameter.annotation is not None else ""
    if stars or parameter.default is None:
        return f"{stars}{parameter.name}{annotation}"
    equals = " = " if annotation else "="
    return f"{parameter.name}{annotation}{equals}{shown_value(str(parameter.default))}"


def _attributes(item: griffe.Module | griffe.Class, heading: str) -> list[str]:
    lines = [
        attribute_line(member)
        for member in item.members.values()
        if isinstance(member, griffe.Attribute) and is_public(member.name) and "property" not in member.labels
    ]
    return [heading, "", *lines, ""] if lines else []


def _set_in_body(item: griffe.Attribute) -> bool:
    """Whether the line that sets it lies inside a function of its class."""
    parent = item.parent
    if not isinstance(parent, griffe.Class) or item.lineno is None:
        return False
    return any(
        (member.lineno or 0) <= item.lineno <= (member.endlineno or 0)
        for member in parent.members.values()
        if isinstance(member, griffe.Function)
    )


def _aliases(module: griffe.Module) -> list[griffe.Alias]:
    """Public names that the module imports and offers as its own."""
    found = (member for member in module.members.values() if isinstance(member, griffe.Alias))
    return [alias for alias in found if _is_handed_on(module, alias)]


def _is_handed_on(module: griffe.Module, member: griffe.Alias) -> bool:
    if not is_public(member.name.rsplit("/", 1)[-1]):
        return False
    package = module.path.split(".", 1)[0]
    own = member.target_path.split(".", 1)[0] == package
    exported = module.exports is not None and member.name in {str(name) for name in module.exports}
    return exported or (own and module.is_init_module)


def _handed_on(alias: griffe.Alias) -> str:
    if alias.wildcard:
        return f"- every public name of `{alias.wildcard}`"
    return f"- `{alias.name}` from `{alias.target_path}`"


def _decorators(item: griffe.Function | griffe.Class) -> list[str]:
    return [f"@{shown_value(str(decorator.value))}" for decorator in item.decorators]


def _code(lines: Iterable[str]) -> list[str]:
    return ["```python", *lines, "```", ""]

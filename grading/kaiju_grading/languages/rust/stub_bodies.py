"""Bodies: what stands in the place of a function's body so that the stub builds and fails loudly."""

import re

from tree_sitter import Node

from kaiju_grading.languages.rust.syntax import field, text

TODO = "unimplemented!()"
_VALUES = (
    (r"\b(Iterator|ExactSizeIterator|DoubleEndedIterator|FusedIterator)\b", "::core::iter::empty()"),
    (r"\bFuture\b", "::core::future::pending()"),
    (r"\b(Display|Debug|AsRef\s*<\s*str\s*>|Into\s*<\s*String\s*>|ToString|Serialize)\b", '""'),
    (r"\bError\b", "::core::fmt::Error"),
    (r"\bRead\b", "::std::io::empty()"),
    (r"\bWrite\b", "::std::io::sink()"),
)
"""By what a returned `impl` promises: a value that keeps the promise."""
_CLOSURE = re.compile(r"impl\s+(?:for<[^>]*>\s*)?Fn(?:Mut|Once)?\s*\(([^)]*)\)")


def stub_statements(function: Node, *, dropping: bool, edition: str) -> list[str] | None:
    """Lines of the new body; none for an empty one, None where no value is known that would build."""
    if dropping:
        # A panic while dropping during a panic would end the process, and every other test with it.
        return ["// Not implemented: it must not panic."]
    returned = text(field(function, "return_type")).decode(errors="replace")
    if "impl" not in re.findall(r"\w+", returned):
        return [TODO]
    value = _value(returned)
    if value is None:
        return None
    if edition == "2015":
        value = value.replace("::core::", "::std::")
    return ["if true {", f"    {TODO};", "}", value]


def _value(returned: str) -> str | None:
    if not returned.startswith("impl"):
        return None
    closure = _CLOSURE.match(returned)
    if closure:
        count = len([part for part in closure.group(1).split(",") if part.strip()])
        return f"move |{', '.join('_' * count)}| {TODO}"
    return next((value for pattern, value in _VALUES if re.search(pattern, returned)), None)

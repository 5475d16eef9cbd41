"""What rustdoc's JSON says of a library: public items by module, with documentation and source."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kaiju_grading.files import Files
from kaiju_grading.languages.rust.syntax import field as part
from kaiju_grading.languages.rust.syntax import parse, text

_BODIES = frozenset({"function_item"})
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Item:
    """A public item under the path that a user writes."""

    kind: str
    path: str
    docs: str
    code: tuple[str, ...]


@dataclass(slots=True)
class Rustdoc:
    """The index of one library."""

    root: str
    items: Mapping[str, Mapping[str, Any]] = field(repr=False)
    sources: Files = field(repr=False)

    @classmethod
    def read(cls, output: bytes, sources: Files) -> "Rustdoc | None":
        """None for what is not rustdoc's answer."""
        try:
            found = json.loads(output)
            return cls(str(found["root"]), found["index"], sources)
        except (ValueError, KeyError, TypeError):
            return None

    def modules(self) -> dict[str, list[Item]]:
        """Items by the module through which they are public, modules in order of their paths."""
        found: dict[str, list[Item]] = {}
        root = self.items[self.root]
        self._walk(root, str(root.get("name")), found, set())
        return {name: found[name] for name in sorted(found)}

    def _walk(
        self, module: Mapping[str, Any], name: str, found: dict[str, list[Item]], seen: set[tuple[str, str]]
    ) -> None:
        listed = found.setdefault(name, [Item("module", name, str(module.get("docs") or ""), ())])
        for member in self._members(module, 0):
            key = (name, str(member.get("id")))
            if key in seen:
                continue
            seen.add(key)
            kind = next(iter(member["inner"]))
            path = f"{name}::{member.get('name')}"
            if kind == "module":
                self._walk(member, path, found, seen)
            elif member.get("name"):
                listed.append(Item(kind, path, str(member.get("docs") or ""), self._code(member)))
                listed.extend(self._associated(member, path))

    def _members(self, module: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
        """Public items of a module, those that it hands on from private places included."""
        for number in module["inner"]["module"]["items"]:
            member = self.items.get(str(number))
            if member is None:
                continue
            used = member["inner"].get("use")
            if used is None:
                if member.get("visibility") in {"public", "default"} or "macro" in member["inner"]:
                    yield member
                continue
            target = self.items.get(str(used.get("id")))
            if target is None or depth > _MAX_DEPTH or member.get("visibility") != "public":
                continue
            if used.get("is_glob") and "module" in target["inner"]:
                yield from self._members(target, depth + 1)
            else:
                yield {**target, "name": used.get("name") or target.get("name")}

    def _associated(self, item: Mapping[str, Any], path: str) -> Iterator[Item]:
        """Methods of a type and of a trait, and the traits that a type implements."""
        inner = next(iter(item["inner"].values()))
        if not isinstance(inner, dict):
            return
        for number in inner.get("impls", ()):
            block = self.items.get(str(number))
            made = block["inner"].get("impl") if block is not None else None
            if block is None or made is None or made.get("is_synthetic") or made.get("blanket_impl"):
                continue
            if made.get("trait") is not None:
                if block.get("span") is not None and not _derived(block):
                    yield Item(
                        "implementation", f"{made['trait'].get('path')} for {path}", "", self._head(block)
                    )
                continue
            for member in self._each(made.get("items", ())):
                if member.get("visibility") == "public":
                    yield Item(
                        "method",
                        f"{path}::{member.get('name')}",
                        str(member.get("docs") or ""),
                        self._code(member),
                    )
        if "trait" in item["inner"]:
            for member in self._each(inner.get("items", ())):
                docs = str(member.get("docs") or "")
                yield Item("trait item", f"{path}::{member.get('name')}", docs, self._code(member))

    def _each(self, numbers: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - a list of JSON
        return (self.items[str(number)] for number in numbers if str(number) in self.items)

    def _source(self, item: Mapping[str, Any]) -> str:
        span = item.get("span")
        if not isinstance(span, dict) or span.get("filename") not in self.sources:
            return ""
        lines = self.sources[span["filename"]].data.decode(errors="replace").split("\n")
        first, last = span["begin"], span["end"]
        chosen = lines[first[0] - 1 : last[0]]
        if not chosen:
            return ""
        chosen[-1] = chosen[-1][: last[1]]
        return "\n".join([chosen[0][first[1] - 1 :] if first[1] else chosen[0], *chosen[1:]])

    def _code(self, item: Mapping[str, Any]) -> tuple[str, ...]:
        """The item as written, less bodies; of traits the head alone, since their items are listed."""
        source = self._source(item)
        if not source:
            return (f"// {next(iter(item['inner']))} {item.get('name')}, made by a macro",)
        if "trait" in item["inner"]:
            return self._head(item)
        if "macro" in item["inner"]:
            return (f"macro_rules! {item.get('name')} {{ ... }}",)
        return tuple(_without_bodies(source.encode()).decode(errors="replace").rstrip().split("\n"))

    def _head(self, item: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple((self._source(item).partition("{")[0].rstrip() + " { ... }").split("\n"))


def _derived(block: Mapping[str, Any]) -> bool:
    return any("automatically_derived" in str(attribute) for attribute in block.get("attrs", ()))


def _without_bodies(source: bytes) -> bytes:
    for node in parse(source).named_children:
        if node.type in _BODIES and (body := part(node, "body")) is not None:
            return _signature(source[: body.start_byte])
    # A method or a field with its visibility alone is no item: take its text up to a brace.
    root = parse(source)
    if root.has_error and b"fn " in text(root):
        return _signature(source.partition(b"{")[0])
    return source


def _signature(head: bytes) -> bytes:
    """What stands before a body, as a declaration: the comma that may end a `where` goes."""
    return head.rstrip().removesuffix(b",") + b";"

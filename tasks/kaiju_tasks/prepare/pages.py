"""Pages that preparation adds to a language's specification, and their lines in its index."""

from collections.abc import Iterable, Mapping

INDEX = "index.md"
HEADING = "## Pages of this specification"
NOTES = "notes.md"
HEADINGS = {
    "messages.md": "texts of the library that tests compare with",
    NOTES: "behaviour that tests rely on and that upstream's documentation leaves open",
}


def notes_page(notes: Iterable[str]) -> Mapping[str, str]:
    """The page with the notes of a recipe, by its name; none without notes."""
    listed = [f"* {note}" for note in notes]
    head = "# Notes\n\nWhat tests rely on and upstream's documentation leaves open.\n\n"
    return {NOTES: head + "\n".join(listed) + "\n"} if listed else {}


def with_pages(spec: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    """The specification with these pages, each of them listed in the index like the others."""
    lines = spec[INDEX].split("\n") if INDEX in spec else []
    place = _end_of_list(lines)
    listed = [f"- `{name}`: {HEADINGS[name]}" for name in sorted(added)]
    index = {INDEX: "\n".join([*lines[:place], *listed, *lines[place:]])} if lines else {}
    return {**spec, **index, **added}


def _end_of_list(lines: list[str]) -> int:
    if HEADING not in lines:
        return len(lines)
    place = lines.index(HEADING) + 2
    while place < len(lines) and lines[place].startswith("- "):
        place += 1
    return place

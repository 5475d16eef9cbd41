"""Pages that preparation adds stand in the index of the specification like all others."""

from kaiju_tasks.prepare.pages import notes_page, with_pages

INDEX = "# toy\n\n## Pages of this specification\n\n- `api-toy.md`: public interface of `toy`\n\n## README\n"


def test_added_pages_are_listed_in_the_index_after_the_others() -> None:
    notes = notes_page(["An empty name is refused.", "Nothing is rounded."])
    spec = with_pages({"index.md": INDEX, "api-toy.md": "toy"}, {"messages.md": "texts", **notes})
    assert spec["index.md"].split("\n")[4:8] == [
        "- `api-toy.md`: public interface of `toy`",
        "- `messages.md`: texts of the library that tests compare with",
        "- `notes.md`: behaviour that tests rely on and that upstream's documentation leaves open",
        "",
    ]
    assert spec["notes.md"].endswith("* An empty name is refused.\n* Nothing is rounded.\n")


def test_without_notes_there_is_no_such_page() -> None:
    assert with_pages({"index.md": INDEX}, notes_page([])) == {"index.md": INDEX}

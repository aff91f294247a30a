"""Markdown."""

from time import process_time

import pytest

from core.domain.policy import LoadedDocument
from core.ingest.load import load
from core.ingest.sections import split_sections


def read(text: str) -> LoadedDocument:
    return load(text.encode(), source_name="a.md")


def headings(document: LoadedDocument) -> list[tuple[int, str]]:
    return [(heading.level, heading.span.of(document.text)) for heading in document.headings]


def test_markup_is_stripped_and_words_are_kept() -> None:
    document = read(
        "Staff **must** *not* pay `cash`, see [the list](http://x.example) ![logo](l.png)."
    )
    assert document.text == "Staff must not pay cash, see the list logo."


def test_headings_are_recorded_where_they_stand() -> None:
    document = read("# Gifts **policy**\n\nText.\n\n## 1. Scope\n\nSetext\n------\n")
    assert headings(document) == [(1, "Gifts policy"), (2, "1. Scope"), (2, "Setext")]


def test_table_is_one_row_a_line() -> None:
    document = read("| **Role** | Duty |\n|---|---|\n| Owner | a \\| b |\n| | x |\n\nAfter.")
    assert document.text == "Role | Duty\nOwner | a / b\n | x".replace("\n |", "\n|") + "\n\nAfter."
    assert [span.of(document.text) for span in document.tables] == [
        "Role | Duty\nOwner | a / b\n| x"
    ]


def test_lists_keep_their_labels() -> None:
    document = read("Do:\n\n3. third\n4. fourth\n   - nested\n     more\n\n* bullet\n")
    assert document.text == "Do:\n\n3. third\n4. fourth\n  - nested more\n\n- bullet"


def test_front_matter_is_metadata_not_text() -> None:
    document = read(
        '---\ntitle: "Gifts"\npolicy_id: C-1\neffective_from: 2025-07-01\n---\n# Other\n'
    )
    assert document.text == "Other"
    assert document.metadata == {
        "title": "Gifts",
        "policy_id": "C-1",
        "effective_from": "2025-07-01",
    }


def test_html_inside_is_not_shown() -> None:
    document = read("Keep<br>this<!-- hidden -->.\n\n<div>block</div>\n\n<!-- gone -->\n")
    assert document.text == "Keep\nthis.\n\nblock"


def test_rules_and_code() -> None:
    assert read("One.\n\n---\n\n```\nx = 1\n```\n").text == "One.\n\nx = 1"


def test_lists_nested_deeper_than_usual_are_kept() -> None:
    text = "\n".join("  " * depth + f"- level {depth}" for depth in range(40))
    assert read(text).text.endswith("- level 39")


def test_absurd_nesting_does_no_harm() -> None:
    assert read("Before.\n\n" + ">" * 10_000 + " x").text.startswith("Before.")


@pytest.mark.parametrize("pattern", ["[", "![", "<!--", "<!-- a\n", "a <!-- "])
def test_marks_that_nothing_closes_take_no_longer_than_words(pattern: str) -> None:
    """The time is linear in the file, and nothing of it is lost."""
    seconds: list[float] = []
    for marks in ("word ", pattern):
        data = marks.encode() * (80_000 // len(marks))
        started_s = process_time()
        text = load(data, source_name="x.md").text
        seconds.append(process_time() - started_s)
        assert "".join(text.split()) == "".join(data.decode().split())
    assert seconds[1] < 50 * seconds[0] + 0.5


def test_links_are_read_among_many_open_brackets() -> None:
    """Where a bracket is closed, the words stay and the address goes."""
    source = "[" * 300 + " see [the form](https://example.com) and ![a picture](x.png)"
    assert load(source.encode(), source_name="x.md").text.endswith("see the form and a picture")


def titles(source: str) -> list[str]:
    document = load(source.encode(), source_name="a.md")
    return [
        " > ".join(section.path)
        for section in split_sections(document)
        if section.eid != "preamble"
    ]


TEXT = "\n\nStaff may accept gifts up to EUR 50 from each giver in a year.\n\n"


@pytest.mark.parametrize(
    "heading",
    [
        "{marks} {title} {{#sec-1}}",
        "{marks} {title} {marks}",
        "{marks}{title}",
        '<h{level} id="x">{title}</h{level}>',
        '{marks} <a name="x"></a>**{title}**',
        "{marks} **{title} **",
    ],
)
def test_headings_are_known_however_they_are_marked(heading: str) -> None:
    source = TEXT.join(
        heading.format(marks="#" * level, level=level, title=title)
        for title, level in (("Gifts", 1), ("Limits", 2), ("Records", 2))
    )
    assert titles(source + TEXT) == ["Gifts", "Gifts > Limits", "Gifts > Records"]


def test_hashtags_quoted_headings_and_bulleted_ones_are_text() -> None:
    source = (
        f"# Gifts{TEXT}#gifts on Slack\n\n> ## Quoted\n\n- ### In a list\n\n1. ### Counted{TEXT}"
    )
    assert titles(source) == ["Gifts", "Gifts > 1 Counted"]


def test_bold_lines_are_headings_where_nothing_else_is() -> None:
    source = TEXT.join(f"**{title}**" for title in ("Limits", "Records", "Who decides?")) + TEXT
    assert titles(source) == ["Limits", "Records", "Who decides?"]
    assert titles(f"# A one{TEXT}# B two{TEXT}# C three{TEXT}**Important**{TEXT}")[-1] == "C three"


def test_front_matter_in_toml_is_read() -> None:
    source = '+++\ntitle = "Gifts"\nowner = "Legal"\n+++\n\nText.'
    document = load(source.encode(), source_name="a.md")
    assert document.metadata == {"title": "Gifts", "owner": "Legal"}
    assert document.text == "Text."


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">Cash is fine.</div>',
        "<div hidden>\n\nCash is fine.\n\n- Cash\n\n</div>",
        "<script>\nCash is fine.\n</script>",
        "<style>Cash is fine.</style>",
        "<span hidden>Cash is **fine**.</span>",
        '<div style="display:none"><div>\n\nCash is fine.\n\n</div>\n\nCash.\n\n</div>',
    ],
)
def test_what_html_hides_is_left_out(hidden: str) -> None:
    document = load(f"Before.\n\n{hidden}\n\nAfter.".encode(), source_name="a.md")
    assert document.text == "Before.\n\nAfter."


def test_hidden_words_within_a_line_are_counted() -> None:
    document = load(b"Never <span hidden>say</span>accept cash.", source_name="a.md")
    assert (document.text, document.notes) == (
        "Never accept cash.",
        ("left out 1 hidden passage: what belongs to the policy must be visible in the file",),
    )


def test_lines_in_italics_are_below_bold_ones_where_nothing_else_is_marked() -> None:
    rules = "".join(f"*{name}*{TEXT}" for name in ("Letters", "Mail", "Photos"))
    source = f"**OUR RECORDS**{TEXT}{rules}**GIFTS**{TEXT}**TRAVEL**{TEXT}"
    assert titles(source) == [
        "OUR RECORDS",
        "OUR RECORDS > Letters",
        "OUR RECORDS > Mail",
        "OUR RECORDS > Photos",
        "GIFTS",
        "TRAVEL",
    ]


@pytest.mark.parametrize("mark", ["<title>", "<name of company>", "<b>", "</body></html>"])
def test_a_tag_that_nothing_closes_swallows_no_text(mark: str) -> None:
    shown = read(f"Before {mark} it.\n\n{mark}\n\nA **rule**.\n\n- one\n")
    assert " ".join(shown.text.split()) == "Before it. A rule. - one"


def test_a_table_of_html_over_empty_lines_is_a_table() -> None:
    shown = read("<table><tr><td>\n\n**Gifts**\n\n</td><td>EUR 50</td></tr></table>\n")
    assert [span.of(shown.text) for span in shown.tables] == ["Gifts | EUR 50"]

"""What front matter states, and what of it can't be used."""

import time

import pytest

from core.ingest.load import load
from core.ingest.load.front_matter import front_matter_of, read_toml, read_yaml


@pytest.mark.parametrize(
    ("lines", "owner"),
    [
        ("owner: Ann # the boss", "Ann"),
        ("owner: Ann# the boss", "Ann# the boss"),
        ('owner: "C# Guild" # them', "C# Guild"),
        ('owner: "Guild # 5"', "Guild # 5"),
        ("owner: 'Ann''s # team'", "Ann's # team"),
        ('owner: "The \\"Desk\\""', 'The "Desk"'),
        ('owner: "J\\u00fcrgen"', "Jürgen"),
        ('owner: "A\\u0000nn\\ud800"', "Ann"),
        ('owner: "Group\n  Legal"', "Group Legal"),
        ("owner: >\n  Group\n  Legal\nversion: 2", "Group Legal"),
        ("owner: |- # who\n  Group\n\n  Legal", "Group Legal"),
        ("owner: Group\n  Legal # who\n  # nobody else", "Group Legal"),
        ("owner:\n  Group Legal", "Group Legal"),
        ("# comment\nowner: Ann", "Ann"),
        ('"owner": Ann', "Ann"),
        ("owner: Legal: Compliance", "Legal: Compliance"),
    ],
)
def test_a_value_is_read_as_yaml_means_it(lines: str, owner: str) -> None:
    """Comments, quotes, block scalars and lines that go on."""
    said = read_yaml(lines)
    assert said.values["owner"] == owner
    assert said.unused == ()


@pytest.mark.parametrize("lines", ["owner: # nobody yet", "owner:", "owner: ~", "owner: null"])
def test_nothing_is_no_value(lines: str) -> None:
    """And no mistake either."""
    said = read_yaml(lines)
    assert (said.values, said.unused) == ({}, ())


@pytest.mark.parametrize(
    ("lines", "start", "problem"),
    [
        ("review by: 31.02.2026", "review by '31.02.2026'", "there is no such day; expected a"),
        ("review by: 01/02/2026", "review by '01/02/2026'", "day and month can't be told apart"),
        ("review by: two years", "review by 'two years'", "expected a date like 2026-01-31"),
        ("valid from: soon", "valid from 'soon'", "expected a date"),
        ("classification: " + "x" * 5_000, "classification '", "expected at most 60 characters"),
        ("owner: " + "x" * 5_000, "owner '", "expected at most 200 characters"),
        ("url: javascript:alert(1)", "url 'javascript:alert(1)'", "expected an address like https"),
        ("url: http://a.example.com/", "url 'http://a.example.com/'", "expected an address like"),
        (f"url: https://a.example.com/{'x' * 5_000}", "url '", "expected at most 1,500 characters"),
        ('classification: ["Internal", "Secret"]', "classification '[", "one value, got a list"),
        ("owner:\n- Ann\n- Bo", "owner '- Ann - Bo'", "got a list"),
        ("owner:\n  name: Ann\n  role: CCO", "owner 'name: Ann role: CCO'", "several named values"),
        ("owner: {name: Ann}", "owner '{name: Ann}'", "several named values"),
        ("owner: *boss", "owner '*boss'", "an anchor, an alias or a tag"),
        ('owner: "Ann', "owner '\"Ann'", "its quotes do not end"),
        ('owner: "Ann" Smith', "owner '\"Ann\" Smith'", "something follows its closing quote"),
        ("policy:\n  owner: Ann", "owner 'Ann'", "at the left margin, got it nested below 'policy"),
        ("country: Germany and France", "country 'Germany and France'", "expected one country"),
        ("version: final", "version 'final'", "expected a number"),
        ("owner Ann\nversion: 2", "front matter 'owner Ann'", "expected a line like owner: Legal"),
    ],
)
def test_what_can_not_be_used_is_named_once(lines: str, start: str, problem: str) -> None:
    """With its field, the cause and what to write, however long it is."""
    said = read_yaml(lines)
    (note,) = [one.note for one in said.unused]
    assert note.startswith(start)
    assert " is not used: " in note
    assert problem in note
    assert len(note) < 250
    assert set(said.values) <= {"version"}


def test_what_is_said_elsewhere_is_not_named() -> None:
    """Of a field the first usable value counts; of the text, what front matter does not say."""
    assert read_yaml("expires: never\nexpiry date: 2026-12-31").unused == ()
    document = load(b"---\nowner: Legal\n---\n\nOwner: " + b"x" * 250, source_name="a.md")
    assert (document.metadata["owner"], document.unused) == ("Legal", ())
    document = load(b"---\nowner: [A, B]\n---\n\n# A\n\nOwner: Legal\n", source_name="a.md")
    assert document.metadata["owner"] == "Legal"
    assert [one.field for one in document.unused] == ["owner"]


def test_what_a_page_states_of_itself_is_named_too() -> None:
    """In `<meta>`, and in lines of the text."""
    page = b'<meta name="owner" content="Legal"><meta name="expires" content="later"><p>One.</p>'
    assert [one.field for one in load(page, source_name="a.html").unused] == ["effective_until"]
    text = b"GIFTS POLICY\n\nOwner: Legal\nNext review: 30.02.2027\n\nText."
    assert [one.field for one in load(text, source_name="a.txt").unused] == ["review_by"]
    scope = b"GIFTS POLICY\n\nGeographic scope: " + b"all of us, " * 9 + b"\n\nText."
    assert load(scope, source_name="a.txt").unused == ()


def test_toml_is_read_whole() -> None:
    """With its comments, dates and tables; what is no value is named."""
    said = read_toml(
        'name = "Gifts"\nreview_by = 2026-06-30 # then\nclassification = ["a", "b"]\n'
        '[extra]\nowner = "Group # Legal"\n'
    )
    assert said.values == {"title": "Gifts", "review_by": "2026-06-30", "owner": "Group # Legal"}
    (note,) = [one.note for one in said.unused]
    assert note.startswith("classification \"['a', 'b']\" is not used: expected one value")


@pytest.mark.parametrize(
    "block", ["owner = ", "owner = " + "[" * 9_000, "version = " + "1" * 9_000]
)
def test_toml_that_is_none_is_named(block: str) -> None:
    """One note, and nothing of it is used."""
    said = read_toml(block)
    (note,) = [one.note for one in said.unused]
    assert said.values == {}
    assert note.startswith("the front matter is not used, because it is not valid TOML (")


@pytest.mark.parametrize("mark", ["---", "+++"])
def test_front_matter_without_an_end_is_named(mark: str) -> None:
    """It is read as text; a line that is only set above a text is no front matter."""
    (note,) = front_matter_of(f"{mark}\nowner: Ann\n\n# Gifts\n").said.unused
    assert note.note.startswith("the front matter does not end")
    assert front_matter_of(f"{mark}\nNote: it is short\n\n# Gifts\n").said.unused == ()


@pytest.mark.parametrize(
    "part", ['"', '\\"', "'", "''", " #", "# ", "a: ", "- ", "[", ">", "a:\n ", ":", " \t"]
)
def test_reading_takes_time_in_proportion(part: str) -> None:
    """However a hostile file repeats itself."""
    for opening in ("owner: ", 'owner: "', "owner: '", "owner: >\n  "):
        started = time.process_time()
        read_yaml(opening + part * (200_000 // len(part)))
        assert time.process_time() - started < 2

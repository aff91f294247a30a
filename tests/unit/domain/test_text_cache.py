"""What is kept of the texts last read: the same answer, bounded, and nothing of long messages.

And what is looked for before a pattern is tried: nothing is missed by it.
"""

# pyright: reportPrivateUsage=false

import re

import pytest

from core.language import lead_ins, modality
from core.language.notations import NOTATIONS, Notation
from core.language.numerals import signs_of
from core.language.quantities import quantities
from core.language.text_cache import OpenedPattern, WordPattern, cached_by_text, words_of
from core.ontology.extract import (
    deadlines,
    exemptions,
    norms,
    not_binding,
    role_relations,
    roles,
    scope,
    terms,
)
from tests.patterns import examples


def test_a_text_is_read_once_while_it_is_kept() -> None:
    """The least used of three is read again where two are kept."""
    read: list[str] = []

    @cached_by_text(entries=2)
    def upper(text: str) -> str:
        read.append(text)
        return text.upper()

    said = [upper(text) for text in ("a", "b", "a", "c", "a", "b")]
    assert said == ["A", "B", "A", "C", "A", "B"]
    assert read == ["a", "b", "c", "b"]


def test_a_long_text_is_not_kept() -> None:
    """Thousands of long messages would fill the memory."""
    read: list[int] = []

    @cached_by_text(longest=10)
    def size(text: str) -> int:
        read.append(len(text))
        return len(text)

    assert [size("x" * length) for length in (10, 10, 11, 11)] == [10, 10, 11, 11]
    assert read == [10, 11, 11]


@pytest.mark.parametrize("notation", NOTATIONS, ids=[str(at) for at in range(len(NOTATIONS))])
def test_no_quantity_lacks_a_sign_of_its_kind(notation: Notation) -> None:
    """Else it would not be found at all; the last one finds words where digits are taken."""
    in_words = notation is NOTATIONS[-1]
    found = [
        text
        for text in examples(_plain(notation.pattern), 300)
        if _plain(notation.pattern).search(re.sub(r"\d", "_", text) if in_words else text)
    ]
    assert len(found) > 50
    assert [text for text in found if not signs_of(text).have_all(notation.needs)] == []


def _read_by_all(text: str) -> list[tuple[str, str, int, int]]:
    """Return the quantities of a text as each notation finds them that its signs allow."""
    open_text = text
    found: list[tuple[str, str, int, int]] = []
    for notation in filter(lambda one: signs_of(text).have_all(one.needs), NOTATIONS):
        for match in list(_plain(notation.pattern).finditer(open_text)):
            forms = notation.read(match)
            found += [(notation.kind, form, *match.span()) for form in forms]
            if forms:
                start, end = match.span()
                open_text = open_text[:start] + "\x00" * (end - start) + open_text[end:]
    return sorted(found)


@pytest.mark.parametrize("notation", NOTATIONS, ids=[str(at) for at in range(len(NOTATIONS))])
def test_no_quantity_is_lost_by_what_is_spared(notation: Notation) -> None:
    """Beside others, glued to them, and behind what an earlier notation took."""
    others = ["EUR 5 to EUR 9k", "5 days", "COMP-002", "3 %", "a hundred", "Section 4.2", "x"]
    for at, text in enumerate(examples(_plain(notation.pattern), 150)):
        other = others[at % len(others)]
        for said in (text, f"{text} and {other}", f"{other}{text}", f"{other} to {text}{other}"):
            read = sorted(
                (one.kind, one.canonical, one.span.char_start, one.span.char_end)
                for one in quantities(said)
            )
            assert read == _read_by_all(said), said


def test_a_number_is_found_in_the_rest_of_a_word_of_which_another_one_is_the_beginning() -> None:
    text = "at 17:00two days later"
    read = [(one.kind, one.canonical) for one in quantities(text)]
    assert read == [("time", "17:00"), ("duration", "2 day")]
    assert len(_read_by_all(text)) == 2


def test_no_modal_expression_begins_with_a_word_that_is_passed_over() -> None:
    trigger = modality._TRIGGER
    for text in examples(trigger, 2_000):
        tried = [match.span() for match in modality._triggers(text)]
        assert tried == [match.span() for match in trigger.finditer(text)], text


def _worded() -> dict[str, tuple[re.Pattern[str], frozenset[str]]]:
    """Return each pattern that is tried only where a text has one of some words."""
    kept: dict[str, object] = {
        f"{module.__name__}.{name}": value
        for module in (lead_ins, deadlines, exemptions, norms, not_binding, scope)
        for name, value in vars(module).items()
    }
    kept |= {f"thing {type_}": pattern for type_, pattern in terms._PATTERNS}
    kept |= {"quoted": terms._QUOTED, "unquoted": terms._UNQUOTED}
    found = {
        name: (one.pattern, one.words) for name, one in kept.items() if isinstance(one, WordPattern)
    }
    found |= {f"role {at}": (_plain(one), words) for at, (one, words) in enumerate(roles._NEEDS)}
    found |= {
        f"from {type_}": (one, role_relations._RELATING) for type_, one in role_relations._FROM_ROLE
    }
    found |= {
        f"to {type_}": (one, role_relations._TO_ROLE_WORDS[type_])
        for type_, one in role_relations._TO_ROLE
    }
    return found


def _plain(pattern: re.Pattern[str] | OpenedPattern) -> re.Pattern[str]:
    return pattern.pattern if isinstance(pattern, OpenedPattern) else pattern


def _opened() -> dict[str, OpenedPattern]:
    """Return each pattern that is tried only at some words."""
    kept = {f"{one.kind} {at}": one.pattern for at, one in enumerate(NOTATIONS)}
    kept |= {"groups": roles._GROUP}
    return {name: one for name, one in kept.items() if isinstance(one, OpenedPattern)}


@pytest.mark.parametrize("name", sorted(_opened()))
def test_no_match_begins_with_a_word_that_is_passed_over(name: str) -> None:
    """What a pattern finds by itself is found by the words that it opens with, in the same text."""
    opened = _opened()[name]
    found = 0
    for text in examples(opened.pattern, 1_000):
        for said in (text, f"Pay {text}, {text}", text.upper(), text.replace(" ", "_")):
            matches = [match.span() for match in opened.pattern.finditer(said)]
            assert [match.span() for match in opened.finditer(said)] == matches, said
            found += len(matches)
    assert found > 100


@pytest.mark.parametrize("name", sorted(_worded()))
def test_no_match_lacks_the_words_that_are_looked_for_first(name: str) -> None:
    pattern, needed = _worded()[name]
    found = list(examples(pattern, 400))
    assert len(found) > 50
    assert [
        text for text in found if pattern.search(text) and needed.isdisjoint(words_of(text))
    ] == []


def test_words_are_those_that_a_pattern_takes_for_the_same() -> None:
    """Letters that ignoring case makes an "i", an "s" or a "k" among them."""
    words = words_of("W\u0131TH\u0130N 5 days, mu\u017ft \u212aeep x_y")
    assert words == {"within", "5", "days", "must", "keep", "x_y"}


@pytest.mark.parametrize("between", ["\n", "\n\n    ", "\n\t", "\u2028", " Go on. "])
@pytest.mark.parametrize(
    "marker", ["- ", "* ", "+ ", "\u2022 ", "\u25e6 ", "(a) ", "iv) ", "1. ", "1.2. ", "A. "]
)
def test_no_text_that_has_a_list_is_taken_for_one_without(marker: str, between: str) -> None:
    """The index of facts reads only sections that may have lists."""
    text = f"Staff may:{between}{marker}wait."
    introduced = any(unit.lead_ins for unit in lead_ins.introduced_units(text))
    assert introduced or between == " Go on. "
    assert lead_ins.may_have_lists(text) or not introduced


def test_rows_and_items_within_a_line_are_lists_too() -> None:
    for text in ("Staff may: | a | b |\n| c | d |", "Staff may: (a) wait; and (b) stay."):
        assert lead_ins.may_have_lists(text)
    assert not lead_ins.may_have_lists("Staff may wait, as rule 7 says. Others may not.")


def test_abbreviations_are_found_before_brackets_as_they_are_everywhere() -> None:
    pattern = roles._ABBREVIATED
    found = 0
    for text in examples(pattern, 1_000):
        for said in (text, f"The {text} (CCO), see {text}.", f"({text}){text}", text * 2):
            matches = [match.span() for match in pattern.finditer(said)]
            assert [match.span() for match in roles._introduced(said)] == matches, said
            found += len(matches)
    assert found > 1_000


def test_roles_that_are_kept_are_those_that_are_read() -> None:
    """Of more texts than are kept, each asked for twice."""
    said = [f"The Group Audit Officer (GAO) and the CCO meet HR {n} times." for n in range(200)]
    known = roles.abbreviations(" ".join(said))
    assert known["GAO"] == "Group Audit Officer"
    for text in (*said, *reversed(said), *said[-3:]):
        assert roles.find_roles(text, known) == roles.find_roles(text, dict(known)) != ()
    assert len(known.last) <= 64

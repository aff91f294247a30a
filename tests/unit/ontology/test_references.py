import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.ontology import CrossReference
from core.domain.policy import Section
from core.language.spans import TextSpan
from core.ontology.extract.policy_index import (
    IndexedPolicy,
    IndexedSection,
    NameMatcher,
    PolicyIndex,
    ReferenceTarget,
    resolve,
    with_inferred_names,
)
from core.ontology.extract.references import find_references, reference_numbers


def _found(text: str) -> list[tuple[str | None, str | None]]:
    return [(found.policy, found.number) for found in find_references(text, ())]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see section 4.2.", [(None, "4.2")]),
        ("Rule 9.3.1(2) applies", [(None, "9.3.1(2)")]),
        ("Rules 3.3.31 and 3.3.32", [(None, "3.3.31"), (None, "3.3.32")]),
        ("GEN 3.3.31 and 3.3.32", [("GEN", "3.3.31"), ("GEN", "3.3.32")]),
        ("MKT Rule 4.3.1(2)", [("MKT", "4.3.1(2)")]),
        ("section 4.2 of the Gifts Policy", [("Gifts Policy", "4.2")]),
        ("Chapter 6", [(None, "Chapter 6")]),
        ("paragraph 148(h) above", [(None, "148(h)")]),
        ("paragraphs 3.1 to 3.4", [(None, "3.1"), (None, "3.2"), (None, "3.3"), (None, "3.4")]),
        ("Annex A", [(None, "Annex A")]),
        ("Article 4(2)", [(None, "Article 4(2)")]),
        ("Article 6(1)(b) GDPR", [("GDPR", "Article 6(1)(b)")]),
        ("the Gifts and Hospitality Policy", [("Gifts and Hospitality Policy", None)]),
        ("Section 117 of FSMR", [("FSMR", "117")]),
        ("Rule 3.19.3(b)(i) and (ii)", [(None, "3.19.3(b)(i)"), (None, "3.19.3(b)(ii)")]),
        ("Rules A4.3.2 to A4.3.3 of App 4", [(None, "App 4.A4.3.2"), (None, "App 4.A4.3.3")]),
        ("under section 4 within 30 days", [(None, "4")]),
        ("section 4 and 30 days", [(None, "4")]),
        ("this Policy and the policy", []),
        ("EUR 100 and 4.5 %", []),
    ],
)
def test_known_references(text: str, found: list[tuple[str | None, str | None]]) -> None:
    """Lists and ranges are opened, policies named, amounts left alone."""
    assert _found(text) == found


def test_a_policy_with_identifier_and_title() -> None:
    """An identifier with its title is one reference."""
    text = "see Policy FIN-003 (Capital Expenditure Authorization Policy)."
    assert _found(text) == [("Policy FIN-003 (Capital Expenditure Authorization Policy)", None)]


def test_that_policy_is_the_one_named_before() -> None:
    """A pronoun for a policy is followed."""
    text = "It is a record under the Records Retention Policy, see Annex A of that policy."
    assert _found(text) == [
        ("Records Retention Policy", None),
        ("Records Retention Policy", "Annex A"),
    ]


def _policy(key: str, title: str, *numbers: str, aliases: tuple[str, ...] = ()) -> IndexedPolicy:
    sections = tuple(IndexedSection(eid=f"e{number}", number=number) for number in numbers)
    return IndexedPolicy(key=key, title=title, aliases=aliases, sections=sections)


_INDEX = PolicyIndex.of(
    [
        _policy("gifts", "Gifts and Hospitality Policy", "4", "4.1", "4.2", "Annex A"),
        _policy(
            "gen", "General Rulebook", "9.3.1", "9.3.1.(1)", "9.3.1.(2)", "Part 6.Chapter 2.56.(4)"
        ),
        _policy("capex", "Capital Expenditure Authorization Policy", "1", aliases=("FIN-003",)),
    ]
)


def _reference(policy: str | None, number: str | None, ordinal: int = 0) -> CrossReference:
    span = TextSpan(char_start=0, char_end=1)
    return CrossReference(span=span, section_ordinal=ordinal, policy=policy, number=number)


@pytest.mark.parametrize(
    ("policy", "number", "target"),
    [
        (None, "4.2", ReferenceTarget("gifts", "e4.2")),
        (None, "4.2(a)", ReferenceTarget("gifts", "e4.2")),
        (None, "4.3", None),
        (None, "Appendix A", ReferenceTarget("gifts", "eAnnex A")),
        ("Gifts Policy", "4.1", ReferenceTarget("gifts", "e4.1")),
        ("General Rulebook", "9.3.1(2)", ReferenceTarget("gen", "e9.3.1.(2)")),
        ("General Rulebook", "9.3.1(7)", ReferenceTarget("gen", "e9.3.1")),
        ("General Rulebook", "56(4)", ReferenceTarget("gen", "ePart 6.Chapter 2.56.(4)")),
        ("Policy FIN-003", None, ReferenceTarget("capex", None)),
        ("FIN-003", "1", ReferenceTarget("capex", "e1")),
        ("Travel Policy", "1", None),
        ("Gifts Policy", None, None),
    ],
)
def test_where_a_reference_leads(
    policy: str | None, number: str | None, target: ReferenceTarget | None
) -> None:
    """Exactly, then to the section that holds it, never to a sibling."""
    reference = _reference(policy, number)
    assert resolve(reference, source_policy_key="gifts", policies=_INDEX) == target


def test_a_section_does_not_refer_to_itself() -> None:
    """A section's own number leads nowhere."""
    reference = _reference(None, "4.2", ordinal=2)
    assert resolve(reference, source_policy_key="gifts", policies=_INDEX) is None


def test_names_are_inferred_from_the_numbers_mentioned_with_them() -> None:
    """An abbreviation belongs to the policy that alone has the numbers."""
    index = PolicyIndex.of(
        [
            _policy("a", "A", "1.1", "1.2", "1.3", "1.4"),
            _policy("b", "B", "2.1", "2.2", "2.3", "1.1"),
        ]
    )
    mentions = [_reference("COBS", number) for number in ("1.1", "1.2", "1.3", "1.4")]
    assert with_inferred_names(index, mentions).policy_named("COBS") == "a"
    assert index.policy_named("COBS") is None


_NAMED = st.lists(
    st.sampled_from(("Gifts", "Travel", "and", "Data", "Policy", "Code", "FIN-003", "GEN")),
    max_size=4,
).map(" ".join)


@given(others=st.lists(_NAMED, max_size=4), title=_NAMED, alias=_NAMED, name=_NAMED)
def test_a_policy_changes_only_what_its_names_may_mean(
    others: list[str], title: str, alias: str, name: str
) -> None:
    """Whatever cannot mean a policy means the same with it as without it."""
    there = [_policy(f"other-{at}", other) for at, other in enumerate(others)]
    one = _policy("one", title, aliases=(alias,))
    matcher = NameMatcher(names=(one.key, title, alias), titles=(title,))
    before, after = PolicyIndex.of(there), PolicyIndex.of([*there, one])
    if not matcher.may_mean(name):
        assert after.policy_named(name) == before.policy_named(name)
    if after.policy_named(name) == "one":
        assert matcher.may_mean(name)


def test_headings_are_not_references() -> None:
    """The number in a section's own heading refers to nothing."""
    text = "Section 1 Scope\nSee section 2.\n"
    section = Section(
        eid="sec_1",
        number="1",
        title="Scope",
        path=("1 Scope",),
        level=1,
        ordinal=0,
        char_start=0,
        body_start=16,
        char_end=len(text),
        page=None,
    )
    assert [found.number for found in find_references(text, [section])] == ["2"]


@given(st.text(alphabet=st.sampled_from("Rule section 4.2()aA,-to ofPolicyFSMR\n"), max_size=80))
def test_spans_hold_the_words(text: str) -> None:
    """Any text is read without fail; spans lie in it, in order."""
    spans = [found.span for found in find_references(text, ())]
    assert spans == sorted(spans)
    assert all(span.of(text).strip() == span.of(text) != "" for span in spans)
    assert isinstance(reference_numbers(text), list)

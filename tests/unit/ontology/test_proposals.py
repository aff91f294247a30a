"""What a model proposes is held to the text, fact by fact."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.ontology import (
    EntityKey,
    EntityType,
    ExtractedEntity,
    Extraction,
    RelationType,
)
from core.domain.proposals import ProposedEntity, ProposedFacts, ProposedRelation
from core.language.spans import TextSpan
from core.ontology.extract.roles import abbreviations
from core.ontology.extract.rule_extractor import extract
from core.ontology.model.model_extractor import merge_facts
from core.ontology.model.proposals import CheckedFacts, check
from core.ontology.model.quotes import MAX_PART_CHARACTERS, Rejection, SectionPart, parts_of
from core.ports.extraction import SourceDocument
from tests.properties import examples
from tests.unit.ontology.markdown import sections_of

TEXT = """# Gifts Policy

## 1. Limits

Employees may accept gifts of up to EUR 75 per year without approval. A gift above EUR 75 must not
be accepted unless the Local Compliance Officer (LCO) has approved it. Gifts above EUR 75 are
entered in the Benefit Ledger within five (5) business days. Travellers in Germany hand them over.
The Benefit Ledger is kept by the Ethics Circle.

Employees must not:

- accept cash;
- accept loans.

"Hospitality" means meals where the host attends.

| Amount | Approver |
|---|---|
| Up to EUR 1,000 | Line manager |

## 2. Breaches

A breach may lead to dismissal. Breaches may be criminal offences. Nobody has to hand over
promotional items. Samples may be returned to the giver.
"""
PARTS = parts_of(TEXT, sections_of(TEXT))
LEDGER = "Gifts above EUR 75 are entered in the Benefit Ledger within five (5) business days."


def entity(type_: str, name: str, quote: str, **more: object) -> ProposedEntity:
    return ProposedEntity(
        id=f"{type_}-{name}",
        type=type_,
        name=name,
        quote=quote,
        **more,  # pyright: ignore[reportArgumentType]
    )


def relation(source: str, type_: str, target: str, quote: str) -> ProposedRelation:
    return ProposedRelation(source=source, type=type_, target=target, quote=quote)


def checked(*facts: ProposedEntity | ProposedRelation, part: int = 0) -> CheckedFacts:
    return check(
        ProposedFacts(
            entities=tuple(one for one in facts if isinstance(one, ProposedEntity)),
            relations=tuple(one for one in facts if isinstance(one, ProposedRelation)),
        ),
        TEXT,
        PARTS[part],
        policy_key="gifts",
        abbreviations=abbreviations(TEXT),
    )


def only(facts: CheckedFacts) -> ExtractedEntity:
    (found,) = facts.entities
    assert facts.dropped == {}
    return found


def rules() -> Extraction:
    return extract(
        SourceDocument(
            text=TEXT,
            sections=sections_of(TEXT),
            policy_key="gifts",
            title="Gifts Policy",
            jurisdiction=None,
        )
    )


def known(key: str) -> ExtractedEntity:
    return next(one for one in rules().entities if one.key == key)


def test_a_rule_is_the_entity_that_the_rules_read_there() -> None:
    """Key, name, span and sentence are those of the whole sentence."""
    found = only(
        checked(entity("Permission", "gifts up to 75", "may accept gifts of up to EUR 75"))
    )
    assert found.spans == known(found.key).spans
    assert found.name == known(found.key).name
    assert found.attributes["modality"] == "may"


def test_a_list_item_is_read_with_its_lead_in() -> None:
    """ "Accept cash" alone forbids nothing."""
    found = only(checked(entity("Prohibition", "cash", "- accept cash;")))
    assert found.name == "Employees must not accept cash;"
    assert found.spans == known(found.key).spans


def test_a_rule_in_the_indicative_is_one_that_the_rules_do_not_see() -> None:
    """ "Are entered" obliges without a modal verb."""
    found = only(checked(entity("Obligation", "ledger", LEDGER, attributes={"action": "entered"})))
    assert found.key not in {one.key for one in rules().entities}
    assert found.attributes == {
        "modality": "none",
        "action": "entered",
        "sentence": LEDGER,
    }


def test_numbers_are_read_from_the_text() -> None:
    """What a threshold is worth is what stands there, in the form that the rules give it."""
    found = only(checked(entity("Deadline", "5 business days", LEDGER)))
    assert found.attributes["value"] == "5"
    assert found.attributes["comparison"] == "within"
    assert found.key == known(found.key).key


@pytest.mark.parametrize(
    ("type_", "name", "quote", "drop"),
    [
        ("Wish", "gifts", LEDGER, Rejection.UNKNOWN_TYPE),
        ("Section", "Limits", LEDGER, Rejection.UNKNOWN_TYPE),
        ("Obligation", "x", "Gifts", Rejection.QUOTE_LENGTH),
        ("Obligation", "x", "x" * 1_300, Rejection.QUOTE_LENGTH),
        ("Obligation", "x", "Gifts above EUR 80 are entered", Rejection.QUOTE_NOT_FOUND),
        ("Obligation", "x", "gifts above EUR 75 are entered", Rejection.QUOTE_NOT_FOUND),
        ("Obligation", "x", "ifts above EUR 75 are enter", Rejection.QUOTE_NOT_FOUND),
        ("Permission", "x", "A breach may lead to dismissal.", Rejection.QUOTE_NOT_FOUND),
        ("Prohibition", "x", "above EUR 75", Rejection.QUOTE_AMBIGUOUS),
        ("Prohibition", "x", "Employees must not:", Rejection.NOT_ONE_SENTENCE),
        ("Prohibition", "x", "accept cash;\n- accept loans", Rejection.NOT_ONE_SENTENCE),
        ("Prohibition", "x", "Employees may accept gifts", Rejection.WRONG_MODALITY),
        ("Permission", "x", "accept cash", Rejection.WRONG_MODALITY),
        ("Prohibition", "x", LEDGER, Rejection.WRONG_MODALITY),
        ("Obligation", "x", "Employees may accept gifts", Rejection.WRONG_MODALITY),
        ("Exception", "x", "accept loans", Rejection.WRONG_MODALITY),
        ("Role", "Chief Executive", "The Benefit Ledger is kept", Rejection.NAME_NOT_IN_QUOTE),
        ("Role", "the", "The Benefit Ledger is kept", Rejection.NAME_NOT_IN_QUOTE),
        ("Jurisdiction", "France", "Travellers in Germany", Rejection.NAME_NOT_IN_QUOTE),
        ("Threshold", "EUR 100", "Employees may accept gifts of up to EUR 75", None),
        ("Threshold", "75 days", "Employees may accept gifts of up to EUR 75", None),
        ("Threshold", "limit", "- accept loans", None),
        ("Deadline", "year", "Employees may accept gifts of up to EUR 75", None),
    ],
)
def test_what_the_text_does_not_bear_out_is_dropped(
    type_: str, name: str, quote: str, drop: Rejection | None
) -> None:
    """Each with its reason, and nothing else with it."""
    facts = checked(entity(type_, name, quote))
    assert (facts.entities, facts.relations) == ((), ())
    assert facts.dropped == {drop or Rejection.NUMBER_NOT_IN_QUOTE: 1}


def test_chance_is_no_permission() -> None:
    """What "may lead" to something is not allowed; what "may be returned" is."""
    for quote in ("A breach may lead to dismissal.", "Breaches may be criminal offences."):
        assert checked(entity("Permission", "x", quote), part=1).dropped == {
            Rejection.WRONG_MODALITY: 1
        }
    allowed = "Samples may be returned to the giver."
    assert only(checked(entity("Permission", "x", allowed), part=1)).name == allowed


def test_a_fragment_is_read_in_its_sentence() -> None:
    """A quote that begins after "must not" does not turn a prohibition round."""
    quote = "be accepted unless the Local Compliance Officer (LCO) has approved it"
    assert checked(entity("Permission", "x", quote)).entities == ()
    assert only(checked(entity("Prohibition", "x", quote))).name.startswith("A gift above EUR 75")


def test_names_and_short_forms_are_those_of_the_text() -> None:
    """The rules' role where they know it, the text's spelling elsewhere; invented aliases go."""
    quote = "unless the Local Compliance Officer (LCO) has approved it"
    officer = only(checked(entity("Role", "local compliance officers", quote)))
    assert officer.key == known(officer.key).key
    assert officer.aliases == ("LCO",)
    facts = checked(
        entity("System", "benefit LEDGER", LEDGER, aliases=("Employees", "Register", "the"))
    )
    assert (facts.entities[0].key, facts.entities[0].name) == (
        "system:benefit-ledger",
        "Benefit Ledger",
    )
    assert facts.entities[0].aliases == ()
    assert facts.dropped == {Rejection.ALIAS_NOT_SAID: 3}


def test_a_description_is_the_texts_own_or_none() -> None:
    """What a model says about a thing reaches nobody."""
    own = "The Benefit Ledger is kept by the Ethics Circle."
    for description, kept in (("A secret ledger of bribes.", ""), (own, own)):
        thing = entity("System", "Benefit Ledger", LEDGER, description=description)
        assert only(checked(thing)).description == kept


def test_white_space_may_differ() -> None:
    """Where a line was folded, the place found is that of the text."""
    quote = "A gift above EUR 75 must not be accepted unless"
    found = only(checked(entity("Prohibition", "x", quote)))
    assert quote in " ".join(found.spans[0].of(TEXT).split())


def test_relations_join_what_one_sentence_says() -> None:
    """The ends, the words and the types must be there."""
    kept = "The Benefit Ledger is kept by the Ethics Circle."
    ledger, circle = (
        entity("System", "Benefit Ledger", LEDGER),
        entity("Role", "Ethics Circle", kept),
    )
    facts = checked(
        ledger,
        circle,
        relation(ledger.id, "references", circle.id, kept),
        relation(ledger.id, "approved_by", circle.id, kept),
        relation(ledger.id, "has_threshold", circle.id, kept),
        relation(ledger.id, "references", circle.id, "Travellers in Germany hand them over."),
        relation(ledger.id, "loves", circle.id, kept),
        relation(ledger.id, "references", "nobody", kept),
        relation("policy", "supersedes", "policy", kept),
    )
    assert [
        (one.source, one.type, one.target)
        for one in facts.relations
        if one.source == "system:benefit-ledger"
    ] == [("system:benefit-ledger", RelationType.REFERENCES, "role:ethic-circle")]
    assert facts.dropped == {
        Rejection.RELATION_NOT_SAID: 1,
        Rejection.WRONG_ENDS: 1,
        Rejection.ENDS_NOT_IN_QUOTE: 1,
        Rejection.UNKNOWN_TYPE: 1,
        Rejection.UNKNOWN_END: 2,
    }


def test_every_fact_hangs_on_something() -> None:
    """A rule without an actor is the policy's; a thing is spoken of by its section."""
    rule = entity("Obligation", "x", LEDGER)
    both = merge_facts(rules(), [checked(rule, entity("System", "Benefit Ledger", LEDGER))])
    joined = {(one.source, one.type, one.target) for one in both.relations}
    section = f"section:gifts:{PARTS[0].section.eid}"
    new = {one.key for one in both.entities} - {one.key for one in rules().entities}
    assert {key.split(":")[0] for key in new} == {"obligation", "system"}
    for key in new - {"system:benefit-ledger"}:
        assert ("policy:gifts", RelationType.REQUIRES, key) in joined
    assert (section, RelationType.REFERENCES, "system:benefit-ledger") in joined


def test_what_the_rules_know_hangs_where_they_hung_it() -> None:
    """A rule that binds a role does not bind everybody because a model read it too."""
    both = merge_facts(rules(), [checked(entity("Permission", "x", "Employees may accept gifts"))])
    assert both == rules()


def test_a_second_entity_of_an_id_is_dropped() -> None:
    """Its relations would be anybody's."""
    thing = entity("System", "Benefit Ledger", LEDGER)
    assert checked(thing, thing).dropped == {Rejection.REPEATED_ID: 1}


def test_merging_keeps_what_the_rules_say() -> None:
    """Name, description and attributes are the rules'; spans are those of both."""
    quote = "Travellers in Germany hand them over."
    facts = checked(
        entity("Role", "Travellers", quote, description=quote),
        entity("Record", "Employees", "Employees may accept gifts"),
        entity("Obligation", "ledger", LEDGER),
        relation("policy", "applies_to", "Role-Travellers", quote),
    )
    both = merge_facts(rules(), [facts])
    assert {one.key for one in rules().entities} < {one.key for one in both.entities}
    assert "record:employee" not in {one.key for one in both.entities}
    for own in rules().entities:
        same = next(one for one in both.entities if one.key == own.key)
        assert (same.type, same.name, same.attributes) == (own.type, own.name, own.attributes)
        assert set(own.spans) <= set(same.spans)
    assert merge_facts(both, [facts]) == both
    assert merge_facts(rules(), [facts]) == both
    assert merge_facts(rules(), ()) == rules()


def test_it_is_the_check_that_stops_an_invented_fact() -> None:
    """Unchecked, it would stand among the facts: merging trusts what it is given."""
    quote = "Bribes may be accepted by everybody."
    assert checked(entity("Permission", "bribes", quote)).entities == ()
    invented = replace(
        only(checked(entity("Permission", "x", "Employees may accept gifts"))),
        key=EntityKey("permission:gifts:000000000000"),
        name=quote,
    )
    unsafe = CheckedFacts(
        entities=(invented,), relations=(), default_relations={invented.key: ()}, dropped={}
    )
    assert quote in {one.name for one in merge_facts(rules(), [unsafe]).entities}


_WORDS = st.one_of(
    st.sampled_from([*EntityType, *RelationType, "section", "policy", "EUR 75", "5 days", ""]),
    st.text(max_size=60),
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, 150)).map(
        lambda place: TEXT[place[0] : place[0] + place[1]]
    ),
)
_TYPES = st.one_of(st.sampled_from(list(EntityType)), _WORDS)
_ENTITIES = st.builds(
    ProposedEntity,
    id=st.sampled_from(["a", "b", "c", "section"]),
    type=_TYPES,
    name=_WORDS,
    quote=_WORDS,
    aliases=st.lists(_WORDS, max_size=2).map(tuple),
    description=_WORDS,
    attributes=st.dictionaries(
        st.sampled_from(["actor", "action", "condition", "meaning", "value"]), _WORDS, max_size=3
    ),
)
_RELATIONS = st.builds(
    ProposedRelation,
    source=st.sampled_from(["a", "b", "c", "section", "policy", "d"]),
    type=st.one_of(st.sampled_from(list(RelationType)), _WORDS),
    target=st.sampled_from(["a", "b", "c", "section", "policy", "d"]),
    quote=_WORDS,
)
_FACTS = st.builds(
    ProposedFacts,
    entities=st.lists(_ENTITIES, max_size=4).map(tuple),
    relations=st.lists(_RELATIONS, max_size=4).map(tuple),
)


def _folded(text: str) -> str:
    return " ".join(text.split())


def _words_of(attributes: Mapping[str, str]) -> Sequence[str]:
    return [attributes[name] for name in ("action", "condition") if name in attributes]


@examples(200)
@given(proposed=_FACTS)
def test_no_fact_survives_whose_quote_is_not_in_the_section(proposed: ProposedFacts) -> None:
    """And nothing that is proposed raises; what survives is said in the words of the text."""
    part = PARTS[0]
    facts = check(proposed, TEXT, part, policy_key="gifts", abbreviations={})
    quotes = [_folded(one.quote) for one in (*proposed.entities, *proposed.relations)]
    shown = _folded(part.span.of(TEXT))
    assert len(facts.entities) + sum(facts.dropped.values()) <= 100
    for fact in (*facts.entities, *facts.relations):
        assert fact.spans
        said = _folded(" ".join(span.of(TEXT) for span in fact.spans))
        assert any(
            quote and quote in shown and (quote in said or said in quote) for quote in quotes
        )
        assert all(
            part.span.char_start <= span.char_start < span.char_end <= part.span.char_end
            for span in fact.spans
        )
    for found in facts.entities:
        assert all(words in found.attributes["sentence"] for words in _words_of(found.attributes))
    both = merge_facts(rules(), [facts])
    keys = {one.key for one in both.entities}
    assert all({one.source, one.target} <= keys for one in both.relations)
    assert merge_facts(both, [facts]) == both


@examples(100)
@given(
    sentences=st.lists(
        st.text(alphabet="ab \n.", min_size=1, max_size=700), min_size=1, max_size=30
    )
)
def test_parts_hold_all_words_of_a_section_once(sentences: list[str]) -> None:
    """In order, none longer than the limit, nothing lost but white space."""
    text = "# Long\n\n" + "Xyz words here to read. " + "".join(sentences)
    parts = parts_of(text, sections_of(text)[:1])
    body = text[sections_of(text)[0].body_start :]
    assert "".join("".join(part.span.of(text).split()) for part in parts) == "".join(body.split())
    assert all(len(part.span.of(text)) <= MAX_PART_CHARACTERS for part in parts)


def test_headings_alone_and_change_histories_are_not_read() -> None:
    """There is nothing in them, or only what was the rule."""
    text = (
        "# Policy\n\n## 1 Rules\n\nGifts must be reported to somebody.\n\n"
        "## 2 Change history\n\nThe limit was EUR 5.\n"
    )
    (part,) = parts_of(text, sections_of(text))
    assert (part.heading, part.span.of(text)) == ("1 Rules", "Gifts must be reported to somebody.")
    assert isinstance(part, SectionPart)
    assert isinstance(part.span, TextSpan)

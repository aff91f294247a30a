"""Each check of `verify`, with the check and without it."""

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.agent.stages import verify as stage
from core.agent.stages.verify import supports, verify
from core.domain.answer import BY_CODE, Check, Citation, Claim, Draft, Verified
from core.domain.errors import ContractError
from core.domain.evidence import Evidence
from core.grounding import support
from core.grounding.support import guard_probability, guard_texts
from core.language.lead_ins import LeadIn
from core.language.quantities import quantities
from core.language.reader_text import heading_of
from core.language.spans import VersionId
from tests.factories import (
    cite,
    make_draft,
    make_evidence,
    make_item,
    make_span,
    stored_text,
)

RULE = (
    "Employees must not accept cash. Gifts worth up to EUR 50 may be accepted if the Compliance"
    " Officer is told within 5 days."
)
LOCAL_RULE = "Employees may accept gifts worth up to EUR 35."
_PLAIN = make_evidence(
    RULE, "Contractors in Germany must register each gift within 30 days.", LOCAL_RULE
).items
GIFTS, REGISTER = _PLAIN[:2]
LOCAL = replace(_PLAIN[2], place=replace(_PLAIN[2].place, jurisdiction="DE"))
EVIDENCE = Evidence(items=(GIFTS, REGISTER, LOCAL))
CASH = "Employees must not accept cash."
KNOWN_ROLES = ("line manager", "auditor")

FUNCTIONS = {
    Check.CITED: (stage, "_cited"),
    Check.QUOTE: (stage, "_quoted"),
    Check.NUMBERS: (support, "_numbers"),
    Check.MODALITY: (support, "_modality"),
    Check.NAMES: (support, "_names"),
    Check.PLACE: (stage, "_placed"),
    Check.SUPPORT: (support, "unsupported"),
}
FOREIGN = frozenset({"DE"})


def verified(draft: Draft, evidence: Evidence = EVIDENCE) -> Verified:
    """Verify against what a database that holds the evidence would return."""
    return verify(
        draft,
        evidence,
        stored=stored_text(evidence, draft),
        role_names=KNOWN_ROLES,
        foreign=FOREIGN,
    )


def failed(draft: Draft, evidence: Evidence = EVIDENCE) -> set[Check]:
    """Return the checks that a draft of one claim fails."""
    return {one.check for one in verified(draft, evidence).verdicts if not one.passed}


def _finds_nothing(*_: object, **__: object) -> None:
    """Stand in for a check that was removed."""


def _beyond_the_item() -> Citation:
    return Citation(key="c1", span=make_span(0, len(RULE) + 5), quote=RULE)


CASES: dict[str, tuple[Check, Draft]] = {
    "no citation": (Check.CITED, make_draft("Employees like gifts.")),
    "unknown key": (Check.CITED, make_draft(CASH, replace(cite(GIFTS, CASH), key="c9"))),
    "one key of two unknown": (
        Check.CITED,
        make_draft(CASH, cite(GIFTS, CASH), replace(cite(GIFTS, CASH), key="c")),
    ),
    "key of another item": (Check.CITED, make_draft(CASH, replace(cite(GIFTS, CASH), key="c2"))),
    "nothing said": (Check.CITED, make_draft(" \n", cite(GIFTS, CASH))),
    "altered quote": (
        Check.QUOTE,
        make_draft(CASH, replace(cite(GIFTS, CASH), quote=CASH.replace("cash", "cars"))),
    ),
    "quote of other white space": (
        Check.QUOTE,
        make_draft(CASH, replace(cite(GIFTS, CASH), quote=CASH + " ")),
    ),
    "quote of another sentence": (
        Check.QUOTE,
        make_draft(CASH, replace(cite(GIFTS, CASH), quote="Cash is fine.")),
    ),
    "added amount": (
        Check.NUMBERS,
        make_draft("Gifts worth up to EUR 500 may be accepted.", cite(GIFTS)),
    ),
    "other currency": (
        Check.NUMBERS,
        make_draft("Gifts worth up to USD 50 may be accepted.", cite(GIFTS)),
    ),
    "other unit": (
        Check.NUMBERS,
        make_draft("The Compliance Officer is told within 5 weeks.", cite(GIFTS)),
    ),
    "working days": (
        Check.NUMBERS,
        make_draft("The Compliance Officer is told within 5 working days.", cite(GIFTS)),
    ),
    "percent for an amount": (
        Check.NUMBERS,
        make_draft("Gifts worth up to 50 % may be accepted.", cite(GIFTS)),
    ),
    "number from another section": (
        Check.NUMBERS,
        make_draft("The Compliance Officer is told within 30 days.", cite(GIFTS)),
    ),
    "a section that is not named": (
        Check.NUMBERS,
        make_draft("Employees must not accept cash, see section 7.3.", cite(GIFTS, CASH)),
    ),
    "must not becomes may": (
        Check.MODALITY,
        make_draft("Employees may accept cash.", cite(GIFTS, CASH)),
    ),
    "must not becomes must": (
        Check.MODALITY,
        make_draft("Employees must accept cash.", cite(GIFTS, CASH)),
    ),
    "must not becomes should not": (
        Check.MODALITY,
        make_draft("Employees should not accept cash.", cite(GIFTS, CASH)),
    ),
    "must becomes may": (
        Check.MODALITY,
        make_draft("Contractors in Germany may register each gift.", cite(REGISTER)),
    ),
    "must becomes need not": (
        Check.MODALITY,
        make_draft("Contractors in Germany need not register each gift.", cite(REGISTER)),
    ),
    "foreign role": (
        Check.NAMES,
        make_draft("The Works Council is told of gifts.", cite(GIFTS)),
    ),
    "a known role in lower case": (
        Check.NAMES,
        make_draft("The line manager is told of gifts.", cite(GIFTS)),
    ),
    "foreign country": (
        Check.NAMES,
        make_draft("Contractors in France must register each gift.", cite(REGISTER)),
    ),
    "a country that is not named": (
        Check.NAMES,
        make_draft("Employees in Germany must not accept cash.", cite(GIFTS, CASH)),
    ),
    "something else": (
        Check.SUPPORT,
        make_draft("The moon landing was filmed in a studio.", cite(GIFTS, CASH)),
    ),
    "one country's rule told to everybody": (Check.PLACE, make_draft(LOCAL_RULE, cite(LOCAL))),
}


def test_a_country_s_rule_may_be_told_by_its_name_or_to_whom_it_holds_for() -> None:
    """The policy's country counts as said; whoever is known to mean it need not be told."""
    named = make_draft("In Germany, employees may accept gifts worth up to EUR 35.", cite(LOCAL))
    assert failed(named) == set()
    other = make_draft("In France, employees may accept gifts worth up to EUR 35.", cite(LOCAL))
    assert failed(other) == {Check.NAMES, Check.PLACE}
    own = make_draft(LOCAL_RULE, cite(LOCAL))
    result = verify(own, EVIDENCE, stored=stored_text(EVIDENCE, own), role_names=())
    assert result.claims == own.claims


@pytest.mark.parametrize("name", CASES)
def test_a_false_claim_is_dropped_by_its_check(name: str) -> None:
    """Each kind of false claim is dropped, and the check that found it says why."""
    check, draft = CASES[name]
    result = verified(draft)
    assert (result.claims, result.dropped) == ((), draft.claims)
    told = [verdict for verdict in result.verdicts if not verdict.passed]
    assert [(verdict.check, bool(verdict.reason)) for verdict in told] == [(check, True)]


@pytest.mark.parametrize("name", CASES)
def test_without_its_check_a_false_claim_gets_through(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With that one check removed the same claim is kept, so it is that check which stops it."""
    check, draft = CASES[name]
    monkeypatch.setattr(*FUNCTIONS[check], _finds_nothing)
    assert verified(draft).claims == draft.claims


PIECED = (
    ("Employees may accept cash.", "Employees m", "accept cash."),
    ("Accept cash.", "accept cash."),
    ("Employees must accept cash.", "Employees must", "accept cash."),
)


@pytest.mark.parametrize("pieces", PIECED, ids=lambda pieces: pieces[0])
def test_a_part_of_a_sentence_is_held_as_the_whole(pieces: tuple[str, ...]) -> None:
    """What stands between two citations, or before the only one, is read too."""
    text, *quotes = pieces
    draft = make_draft(text, *(cite(GIFTS, quote) for quote in quotes))
    found = verified(draft)
    assert found.claims == ()
    assert {one.check for one in found.verdicts if not one.passed} == {Check.MODALITY}


BOUNDED: dict[str, Draft] = {
    "above becomes up to": make_draft("Gifts worth more than EUR 50 may be accepted.", cite(GIFTS)),
    "up to becomes at least": make_draft(
        "Gifts worth at least EUR 50 may be accepted.", cite(GIFTS)
    ),
    "within becomes after": make_draft("The Compliance Officer is told after 5 days.", cite(GIFTS)),
    "a figure beyond the bound": make_draft("Gifts of EUR 50 or more are accepted.", cite(GIFTS)),
}
FRAMED: dict[str, Draft] = {
    "denied": make_draft("It is not true that employees must not accept cash.", cite(GIFTS, CASH)),
    "no such rule": make_draft(
        "There is no rule against it: employees must not accept cash.", cite(GIFTS, CASH)
    ),
    "in any case": make_draft(
        "Gifts worth up to EUR 50 may be accepted even if the Compliance Officer is told.",
        cite(GIFTS),
    ),
    "a condition of its own": make_draft(
        "Gifts worth up to EUR 50 may be accepted if the Compliance Officer is told and only when"
        " the weather is fine.",
        cite(GIFTS),
    ),
    "another subject": make_draft(
        "Contractors must not accept cash.", cite(GIFTS, CASH), cite(REGISTER)
    ),
}


@pytest.mark.parametrize("name", [*BOUNDED, *FRAMED])
def test_a_turned_claim_is_dropped(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turned bound or frame is dropped; without that one check, and only then, it is kept."""
    draft = (BOUNDED | FRAMED)[name]
    assert failed(draft) == {Check.NUMBERS if name in BOUNDED else Check.MODALITY}
    function = "bounds_kept" if name in BOUNDED else "framing_kept"
    monkeypatch.setattr(support, function, _finds_nothing)
    assert verified(draft).claims == draft.claims


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (CASH, CASH),
        ("Employees must not accept cash", CASH),
        ("No, employees must not accept cash.", CASH),
        ("Employees mustn't accept cash.", CASH),
        ("Gifts worth up to 50 euros may be accepted.", RULE),
        ("Gifts not exceeding 50 euros may be accepted.", RULE),
        ("Staff must not accept cash.", CASH),
        ("You can't accept cash.", CASH),
        ("Gifts worth EUR 50 may be accepted.", RULE),
        ("Gifts worth more than EUR 50 may not be accepted.", RULE),
        ("You have 5 days to tell the Compliance Officer.", RULE),
        ("If the Compliance Officer is told, gifts of at most EUR 50 may be accepted.", RULE),
        ("The Compliance Officer is told within five days.", RULE),
        ("The compliance officer is told within 5 days.", RULE),
        (RULE, RULE),
    ],
)
def test_a_true_claim_is_kept(text: str, quoted: str) -> None:
    """What the cited text says, in its words or in another notation, is kept."""
    draft = make_draft(text, cite(GIFTS, quoted))
    assert verified(draft).claims == draft.claims
    assert failed(draft) == set()


def test_each_claim_has_a_verdict_of_each_check() -> None:
    """Five verdicts a claim, in order; a false claim does not take a true one with it."""
    true = Claim(text=CASH, citations=(cite(GIFTS, CASH),))
    false = Claim(text=CASH, citations=())
    result = verified(Draft(claims=(false, true)))
    assert (result.claims, result.dropped) == ((true,), (false,))
    assert [(one.claim, one.check) for one in result.verdicts] == [
        (index, check) for index in (0, 1) for check in BY_CODE
    ]


def test_nothing_is_left_of_nothing() -> None:
    """A draft without claims has no verdicts and leaves none."""
    assert verified(Draft(claims=())) == Verified(claims=(), dropped=(), verdicts=())


def test_a_text_that_the_database_does_not_return_is_not_quoted() -> None:
    """A span not in force, or not readable by everyone, fails even if the evidence holds it."""
    draft = make_draft(CASH, cite(GIFTS, CASH))
    result = verify(draft, EVIDENCE, stored={}, role_names=())
    assert result.claims == ()
    assert {one.check for one in result.verdicts if not one.passed} >= {Check.QUOTE}


def test_a_span_that_reaches_beyond_its_evidence_is_refused() -> None:
    """A citation may quote no more than the evidence that it names."""
    citation = _beyond_the_item()
    draft = make_draft(CASH, citation)
    result = verify(draft, EVIDENCE, stored={citation.span: RULE}, role_names=())
    assert [one.check for one in result.verdicts if not one.passed] == [Check.CITED]


@pytest.mark.parametrize(("start", "end"), [(5, 5), (9, 3), (-4, 4)])
def test_an_empty_or_backward_span_is_refused(start: int, end: int) -> None:
    """A span holds at least one character of its evidence."""
    citation = Citation(key="c1", span=make_span(start, end), quote="")
    result = verify(
        make_draft("Employees like gifts.", citation),
        EVIDENCE,
        stored={citation.span: ""},
        role_names=(),
    )
    assert result.claims == ()


def test_a_span_of_another_version_is_refused() -> None:
    """The same offsets in another version are another text."""
    citation = cite(GIFTS, CASH)
    other = replace(citation, span=replace(citation.span, version_id=VersionId(9)))
    result = verify(make_draft(CASH, other), EVIDENCE, stored={other.span: CASH}, role_names=())
    assert [one.check for one in result.verdicts if not one.passed] == [Check.CITED]


def test_a_role_that_the_ontology_joins_to_the_finding_may_be_named() -> None:
    """A role counts as named where the ontology joins it to the cited finding."""
    item = make_item("The register is kept for gifts.", roles=("Works Council",))
    draft = make_draft("The Works Council keeps the register for gifts.", cite(item))
    assert failed(draft, Evidence(items=(item,))) == set()
    bare = replace(item, roles=())
    assert failed(draft, Evidence(items=(bare,))) == {Check.NAMES}


def test_a_number_from_either_citation_counts() -> None:
    """A claim that joins two citations may use the numbers of both."""
    text = "Gifts worth up to EUR 50 may be accepted; contractors must register within 30 days."
    assert failed(make_draft(text, cite(GIFTS), cite(REGISTER))) == set()
    assert Check.NUMBERS in failed(make_draft(text, cite(GIFTS)))


@given(
    amount=st.integers(min_value=0, max_value=10**9), form=st.sampled_from(["EUR {}", "{} days"])
)
def test_an_added_number_is_rejected(amount: int, form: str) -> None:
    """Whatever number is added to a verbatim claim, it is found."""
    assume(amount not in {5, 50})
    draft = make_draft(f"{RULE} It is {form.format(amount)}.", cite(GIFTS))
    assert Check.NUMBERS in failed(draft)


@given(unit=st.sampled_from(["hours", "weeks", "months", "years", "%", "working days", "euros"]))
def test_a_changed_unit_is_rejected(unit: str) -> None:
    """A number keeps its unit."""
    assert Check.NUMBERS in failed(make_draft(RULE.replace("5 days", f"5 {unit}"), cite(GIFTS)))


_SAID = {
    "must": "Staff must keep the log of visitors.",
    "must not": "Staff must not keep the log of visitors.",
    "may": "Staff may keep the log of visitors.",
    "should": "Staff should keep the log of visitors.",
    "need not": "Staff need not keep the log of visitors.",
}


@pytest.mark.parametrize("source", _SAID)
@pytest.mark.parametrize("claimed", _SAID)
def test_a_swapped_modality_is_rejected(source: str, claimed: str) -> None:
    """Of all pairs of modalities, only a pair of equals passes."""
    evidence = make_evidence(_SAID[source])
    draft = make_draft(_SAID[claimed], cite(evidence.items[0]))
    assert failed(draft, evidence) == (set() if source == claimed else {Check.MODALITY})


@given(
    role=st.sampled_from(["Board", "Head of Legal", "Works Council", "Audit Committee", "Tax Desk"])
)
def test_a_foreign_role_is_rejected(role: str) -> None:
    """A role that no cited span names is found wherever it stands."""
    for text in (f"The {role} is told within 5 days.", f"Tell gifts to the {role}."):
        assert Check.NAMES in failed(make_draft(text, cite(GIFTS)))


@given(text=st.text(min_size=1, max_size=60), wrong=st.text(max_size=60))
def test_an_altered_quote_is_rejected(text: str, wrong: str) -> None:
    """Only the stored characters themselves count as a quote, in any script."""
    assume(text != wrong)
    evidence = make_evidence(text)
    draft = make_draft(text, replace(cite(evidence.items[0]), quote=wrong))
    assert Check.QUOTE in failed(draft, evidence)


@given(
    start=st.integers(min_value=-200, max_value=400), length=st.integers(min_value=0, max_value=400)
)
def test_a_span_outside_the_evidence_is_rejected(start: int, length: int) -> None:
    """Every span that is not a non-empty part of its item is refused."""
    item = make_item(RULE, start=100)
    inside = length > 0 and start >= 100 and start + length <= 100 + len(RULE)
    assume(not inside)
    citation = Citation(key="c1", span=make_span(start, start + length), quote=RULE)
    draft = make_draft(CASH, citation)
    result = verify(draft, Evidence(items=(item,)), stored={citation.span: RULE}, role_names=())
    assert result.claims == ()


@given(
    before=st.text(max_size=20), text=st.text(min_size=1, max_size=80), after=st.text(max_size=20)
)
@example(before="", text="No employee in the UK may pay 5 %.", after="")
@example(before="", text="\u00bf", after="")
@example(
    before="\U0001f600", text="\u00c4mter m\u00fcssen 3 Tage \u2014 \U0001f4b6 \u0662.", after=""
)
def test_a_verbatim_claim_is_kept(before: str, text: str, after: str) -> None:
    """A quoted paragraph with its own span passes all checks, in any Unicode."""
    assume(text.strip())
    item = make_item(f"{before}\n\n{text}\n\n{after}")
    start = len(before) + 2
    citation = Citation(key="c1", span=make_span(start, start + len(text)), quote=text)
    draft = make_draft(text, citation)
    assert failed(draft, Evidence(items=(item,))) == set()


@given(st.text(max_size=300))
def test_any_claim_can_be_checked(text: str) -> None:
    """Checking never raises, and a number that is nowhere in the source never passes."""
    found = failed(make_draft(text, cite(REGISTER)))
    if any(one.canonical != "30 day" for one in quantities(text)):
        assert found & {Check.NUMBERS, Check.CITED}


@pytest.mark.parametrize("piece", ["must not ", "EUR 5 ", "The Head of the ", "a. ", "if no "])
def test_a_huge_claim_is_refused_unread(piece: str) -> None:
    """Claims of 100 kB of any pattern fail every check, and cost no time."""
    (huge,) = make_draft(piece * (100_000 // len(piece)), cite(GIFTS)).claims
    began = time.process_time()
    result = verified(Draft(claims=(huge,) * 50))
    assert time.process_time() - began < 1
    assert result.claims == ()
    assert not any(verdict.passed for verdict in result.verdicts)


def test_without_its_bound_a_huge_claim_gets_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim as long as an answer is read and kept; a longer one is kept without the bound."""
    longest = make_draft(f"{CASH} " * 62, cite(GIFTS, CASH))
    assert len(longest.claims[0].text) <= stage.MAX_CLAIM
    assert verified(longest).dropped == ()
    longer = make_draft(f"{CASH} " * 70, cite(GIFTS, CASH))
    assert verified(longer).claims == ()
    monkeypatch.setattr(stage, "MAX_CLAIM", 10**9)
    assert verified(longer).dropped == ()


LIST = "The following are not reimbursed:\n- minibar and spa;\n- fines for parking.\n"
INTRODUCED = make_item(LIST, key="c1")
ITEM_ALONE = replace(cite(INTRODUCED, "- minibar and spa;"), quote="- minibar and spa;")


def _of_list(text: str, *citations: Citation, evidence: Evidence | None = None) -> set[Check]:
    return failed(make_draft(text, *citations), evidence or Evidence(items=(INTRODUCED,)))


def test_a_list_item_says_nothing_without_what_introduces_it() -> None:
    """The item alone is dropped, however it is cited; with its lead-in it is read under it."""
    assert _of_list("- minibar and spa;", ITEM_ALONE) == {Check.CITED}
    assert _of_list("Minibar and spa.", ITEM_ALONE) == {Check.CITED}
    assert _of_list("Minibar and spa are not reimbursed.", ITEM_ALONE) == set()
    lead_in = cite(INTRODUCED, "The following are not reimbursed:")
    assert _of_list("The following are not reimbursed: minibar and spa", lead_in, ITEM_ALONE) == (
        set()
    )
    assert _of_list("Minibar and spa are reimbursed.", ITEM_ALONE) == {Check.MODALITY}


def test_an_item_of_the_ontology_has_its_lead_in_from_there_or_from_a_passage() -> None:
    """The finding holds the item alone; a chunk around it, or the finding itself, has the rest."""
    start = LIST.index("- minibar")
    alone = make_item("- minibar and spa;", key="c2", start=start, is_finding=True)
    citation = cite(alone)
    text = "- minibar and spa;"
    assert _of_list(text, citation, evidence=Evidence(items=(alone,))) == set()
    assert _of_list(text, citation, evidence=Evidence(items=(alone, INTRODUCED))) == {Check.CITED}
    lead = LeadIn(span=make_span(0, 33), text=LIST[:33])
    known = Evidence(items=(replace(alone, lead_in=lead),))
    assert _of_list(text, citation, evidence=known) == {Check.CITED}


@pytest.mark.parametrize(
    "leaning",
    [
        "You must do so immediately: employees must not accept cash.",
        "However, employees must not accept cash.",
        "This means that employees must not accept cash.",
        "They must not accept cash.",
    ],
)
def test_a_sentence_goes_with_the_one_that_it_leans_on(leaning: str) -> None:
    """Only if that one is dropped; what leans on it in turn goes too, and no other sentence."""
    cash = (cite(GIFTS, CASH),)
    claims = [
        Claim(text="Employees may accept cash.", citations=cash),
        Claim(text=leaning, citations=cash),
        Claim(text=f"Therefore {leaning[0].lower()}{leaning[1:]}", citations=cash),
        Claim(text=CASH, citations=cash),
    ]
    dropped = verified(Draft(claims=tuple(claims)))
    assert dropped.claims == (claims[3],)
    told = [one for one in dropped.verdicts if one.claim == 1 and not one.passed]
    assert [(one.check, one.reason) for one in told] == [
        (Check.SUPPORT, "it leans on a claim that was dropped")
    ]
    claims[0] = claims[3]
    assert verified(Draft(claims=tuple(claims))).dropped == ()


@pytest.mark.parametrize(
    "text",
    [
        "IT keeps the list.",
        "This policy applies to all.",
        "It is forbidden to smoke.",
        "Staff rest.",
    ],
)
def test_a_sentence_that_stands_by_itself_leans_on_none(text: str) -> None:
    """Names, the policy itself and impersonal sentences."""
    assert not stage.leans(text)


def test_the_figures_of_the_question_are_no_claims() -> None:
    """The asker's EUR 40 may be named where a rule holds for it, and not where none does."""
    draft = make_draft(
        "A gift of EUR 40 may be accepted if the Compliance Officer is told.", cite(GIFTS)
    )
    beyond = make_draft(
        "A gift of EUR 80 may be accepted if the Compliance Officer is told.", cite(GIFTS)
    )
    asked = "May I accept a gift of EUR 40, or one of EUR 80?"
    any_ = make_draft("Contractors in Germany must register a gift of EUR 40.", cite(REGISTER))
    assert failed(any_) == {Check.NUMBERS}
    for one, check in ((draft, set[Check]()), (any_, set[Check]()), (beyond, {Check.NUMBERS})):
        stored = stored_text(EVIDENCE, one)
        found = verify(one, EVIDENCE, stored=stored, role_names=(), asked=asked)
        assert {verdict.check for verdict in found.verdicts if not verdict.passed} == check


@pytest.mark.parametrize(
    "piece",
    ["not before ", "May 5 ", "may, ", "unless (AB) ", "who not ", "- a; ", "EUR 5 or ", "do so "],
)
def test_the_longest_claim_is_read_in_little_time(piece: str) -> None:
    """A claim as long as an answer, of any pattern, against a source of four times its length."""
    claim = (piece * stage.MAX_CLAIM)[: stage.MAX_CLAIM]
    item = make_item((piece * stage.MAX_CLAIM * 4)[: stage.MAX_CLAIM * 4])
    began = time.process_time()
    verified(make_draft(claim, cite(item)), Evidence(items=(item,)))
    assert time.process_time() - began < 1.5


class _Guard:
    """Finds statements that say "fine" improbable, by one of several pieces of text."""

    name = "test:guard"

    def __init__(self) -> None:
        self.read: list[tuple[str, list[str]]] = []

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        self.read.append((question, list(texts)))
        if "broken" in question:
            raise ContractError("the local model failed")
        return [-8.0 if "fine" in question else 4.0, *(-9.0 for _ in texts[1:])]


async def test_a_guard_reads_each_claim_with_what_it_cites() -> None:
    """Not what only quotes, cites nothing that is stored, or is too long to be shown."""
    told = Claim(text="Cash is out of the question.", citations=(cite(GIFTS, CASH),))
    fine = Claim(text="Cash is fine.", citations=(cite(GIFTS, CASH),))
    quoted = Claim(text=CASH, citations=(cite(GIFTS, CASH),))
    unsaid, long = Claim(text="No cash.", citations=()), replace(fine, text="fine " * 999)
    draft = Draft(claims=(told, quoted, unsaid, fine, long))
    stored, guard = stored_text(EVIDENCE, draft), _Guard()
    found = await supports(draft, EVIDENCE, stored=stored, guard=guard)
    assert found == {0: pytest.approx(0.982, abs=1e-3), 3: pytest.approx(0.0, abs=1e-3)}
    place = GIFTS.place
    heading = heading_of(place.policy_title, [place.policy_title, place.title])
    assert guard.read[0] == (told.text, [f"{heading}: {CASH}"])
    verdict = verify(draft, EVIDENCE, stored=stored, role_names=(), guard=found)
    assert fine in verdict.dropped
    assert await supports(draft, EVIDENCE, stored=stored, guard=None) == {}
    broken = Draft(claims=(told, replace(told, text="Cash is broken.")))
    assert await supports(broken, EVIDENCE, stored=stored, guard=guard) == {}


def test_long_citations_are_read_in_pieces() -> None:
    """The best piece counts; the end of what is cited is read too."""
    pieces = guard_texts(["word " * 200, "the end"], ["Gifts", "Cash"])
    assert len(pieces) == 3
    assert all(one.startswith("Gifts > Cash: word") for one in pieces[:2])
    assert pieces[-1].endswith("the end")
    assert guard_probability([-9.0, 3.0]) == pytest.approx(0.953, abs=1e-3)
    assert guard_probability([]) == pytest.approx(0.0)


def test_a_claim_that_the_guard_finds_improbable_is_dropped() -> None:
    """By its place in the draft; what only quotes is kept, and what it says nothing of too."""
    claim = Claim(text="Staff must not take cash.", citations=(cite(GIFTS, CASH),))
    quoted = Claim(text=CASH, citations=(cite(GIFTS, CASH),))
    draft = Draft(claims=(claim, claim, claim, quoted))
    stored = stored_text(EVIDENCE, draft)
    found = verify(draft, EVIDENCE, stored=stored, role_names=(), guard={0: 0.01, 1: 0.9, 3: 0.01})
    assert (found.claims, found.dropped) == ((claim, claim, quoted), (claim,))
    told = [(one.claim, one.check) for one in found.verdicts if not one.passed]
    assert told == [(0, Check.SUPPORT)]

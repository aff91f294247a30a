"""A message in its thread: a reply, a follow-up, or a question of its own."""

import time
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.agent.conversation.small_talk import without_greeting
from core.agent.conversation.understanding import clean, understand
from core.agent.planning.intent import facets_of
from core.domain.question import ALL, Turn
from core.language.jurisdictions import country_name, jurisdictions_in
from core.language.people import mentions

GIFTS = "May employees accept gifts worth EUR 50?"
ANSWERED = Turn(question=GIFTS, outcome="answered", answer="Yes.")
LIMIT = "What is the gift limit?"
ASKED = Turn(
    question=LIMIT,
    outcome="clarification",
    answer="In which country do you work?",
    slot="jurisdiction",
    options=("Germany", "United Kingdom"),
)


def replied(text: str, asked: Turn = ASKED) -> tuple[str, str, str | None]:
    """Return what a reply to a clarification is understood as, with slot and value."""
    understood = understand(text, [asked])
    assert len(understood.assumptions) <= 1
    for said in understood.assumptions:
        assert said.source == "asker"
        return understood.standalone, said.slot, said.value
    return understood.standalone, "", None


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("1", "Germany"),
        ("2", "United Kingdom"),
        (" 2. ", "United Kingdom"),
        ("(2)", "United Kingdom"),
        ("Option 2", "United Kingdom"),
        ("option 1 please", "Germany"),
        ("first one", "Germany"),
        ("The first.", "Germany"),
        ("the second", "United Kingdom"),
        ("the second option, please", "United Kingdom"),
        ("2nd", "United Kingdom"),
        ("I\u2019d take the last one", "United Kingdom"),
        ("Germany", "Germany"),
        ("germany!", "Germany"),
        ("the united kingdom", "United Kingdom"),
        ("I work in Germany", "Germany"),
        ("In Germany please", "Germany"),
        ("what about Germany?", "Germany"),
    ],
)
def test_an_option_is_chosen_by_number_or_name(text: str, option: str) -> None:
    """A number or a name chooses an option, which completes the question and is an assumption."""
    assert replied(text) == (f"{LIMIT} {option}", "jurisdiction", option)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("France", "France"),
        ("How about France?", "France"),
        ("what about the Netherlands", "Netherlands"),
        ("I work in Paris.", "France"),
        ("in London", "United Kingdom"),
    ],
)
def test_a_country_is_taken_for_itself(text: str, value: str) -> None:
    """A country that is no option becomes the value, not the words around it."""
    assert replied(text) == (f"{LIMIT} {value}", "jurisdiction", value)


@pytest.mark.parametrize(
    ("text", "value", "asked_for"),
    [
        ("I'm a contractor", "contractor", "What is the gift limit for contractors?"),
        ("Contractors.", "contractor", "What is the gift limit for contractors?"),
        ("as an intern", "intern", "What is the gift limit for interns?"),
        ("how about freelancers?", "freelancer", f"{LIMIT} freelancer"),
        ("an employee", "employee", f"{LIMIT} employee"),
        ("I'm not a contractor", "I'm not a contractor", f"{LIMIT} I'm not a contractor"),
        ("employee and contractor", "employee and contractor", f"{LIMIT} employee and contractor"),
    ],
)
def test_a_kind_of_work_is_taken_for_itself(text: str, value: str, asked_for: str) -> None:
    """The one kind of work that a reply names becomes the value, unless it is denied.

    A group with rules of its own is who the question is asked for from then on.
    """
    asked = Turn(question=LIMIT, outcome="clarification", answer="?", slot="employment")
    assert replied(text, asked) == (asked_for, "employment", value)


@pytest.mark.parametrize(
    "text",
    [
        "in our Lisbon office",
        "0",
        "3",
        "option 3",
        "the third",
        "I don't know",
        "not Germany",
        "France and Italy",
        "It is France where I live but my work is mostly at customers",
    ],
)
def test_free_text_is_taken_as_it_is(text: str) -> None:
    """What is none of the options is the asker's own answer."""
    assert replied(text) == (f"{LIMIT} {text}", "jurisdiction", text)


@pytest.mark.parametrize("text", ["\u00b2", "\u2461", "9" * 5_000, "-1", "1e3"])
def test_a_number_that_is_no_option_breaks_nothing(text: str) -> None:
    """Digits of any kind or length that name no option are free text, the first forty of them."""
    assert replied(text)[2] == text[:40]


def test_two_options_at_once_are_free_text() -> None:
    """Where two options are named, none is chosen for the asker."""
    text = "Germany and United Kingdom"
    assert replied(text)[2] == text


@pytest.mark.parametrize(
    "text",
    [
        "all",
        "All.",
        "both",
        "every",
        "for all",
        "answer for all",
        "all of them",
        "alle",
        "für alle",
    ],
)
def test_every_case_may_be_asked_for(text: str) -> None:
    """ "All" leaves the question as it was, and asks for every branch."""
    assert replied(text) == (LIMIT, "jurisdiction", ALL)


@pytest.mark.parametrize(
    "text",
    [
        "What is the retention period for invoices?",
        "How long must invoices be kept in the archive?",
        "Can I work from home on Fridays in summer?",
        "Who approves my trip?",
        "For how long are records kept?",
        "Is cash allowed?",
    ],
)
def test_a_new_question_is_no_reply(text: str) -> None:
    """Whoever asks something else is not held to the clarification."""
    assert replied(text) == (text, "", None)


@pytest.mark.parametrize(
    ("text", "standalone"),
    [
        ("what if it is from a public official?", "May I accept wine from a public official?"),
        ("ok, and for contractors?", "May contractors accept wine from a supplier?"),
        ("is it the same for customers?", "May I accept wine from customers?"),
        ("what if it's cash", "May I accept wine from a supplier if it's cash?"),
    ],
)
def test_a_follow_up_is_no_reply(text: str, standalone: str) -> None:
    """Whoever adds a condition instead of a country has told nothing of where they work."""
    asked = Turn(
        question="May I accept wine from a supplier?",
        outcome="clarification",
        answer="In which country do you work?",
        slot="jurisdiction",
        options=("Germany", "United Kingdom"),
    )
    assert replied(text, asked) == (standalone, "", None)
    assert understand(text, [asked]).follows


@pytest.mark.parametrize(
    ("text", "standalone", "slot", "value"),
    [
        ("Germany", "May I take wine in Germany?", "jurisdiction", "Germany"),
        ("the UK.", "May I take wine in United Kingdom?", "jurisdiction", "United Kingdom"),
        ("Contractor", "May contractors take wine?", "employment", "contractor"),
        ("an intern", "May interns take wine?", "employment", "intern"),
    ],
)
def test_a_country_or_a_group_alone_goes_on_with_the_question(
    text: str, standalone: str, slot: str, value: str
) -> None:
    """Nobody asks "Germany": it is what was missing from the question before, and is kept."""
    turn = Turn(question="May I take wine?", outcome="refused", answer="")
    meant = understand(text, [turn])
    assert (meant.standalone, meant.follows) == (standalone, True)
    assert [(one.slot, one.value) for one in meant.assumptions] == [(slot, value)]
    assert understand(text, []).standalone == text


@pytest.mark.parametrize("text", ["German law", "supplier", "manager approval", "gifts", "wine"])
def test_a_subject_alone_is_a_question_of_its_own(text: str) -> None:
    """It may be one."""
    turn = Turn(question="May I take wine?", outcome="refused", answer="")
    assert understand(text, [turn]).standalone == text


@pytest.mark.parametrize("text", ["I don't know", "what if it is a gift?", "in our head office"])
def test_what_names_no_country_is_not_assumed_later(text: str) -> None:
    """It counts for the question that was asked, and is not said of the next one."""
    first = understand(text, [ASKED])
    turn = Turn(
        question=first.standalone, outcome="answered", answer="", assumptions=first.assumptions
    )
    assert understand("Who owns the travel policy?", [ASKED, turn]).assumptions == ()


def test_an_option_that_is_no_country_is_assumed_later() -> None:
    """The policies name it, so that it is known for what it is."""
    asked = Turn(
        question=LIMIT,
        outcome="clarification",
        answer="?",
        slot="jurisdiction",
        options=("head office", "plants"),
    )
    first = understand("2", [asked])
    turn = Turn(
        question=first.standalone, outcome="answered", answer="", assumptions=first.assumptions
    )
    (kept,) = understand("Can I claim a taxi?", [asked, turn]).assumptions
    assert (kept.value, kept.source) == ("plants", "thread")


def test_a_missing_referent_is_filled_in() -> None:
    """A clarification of the subject takes any words as the subject."""
    asked = Turn(question="May I do this?", outcome="clarification", answer="?", slot="referent")
    assert replied("accepting a gift", asked) == (
        "May I do this? accepting a gift",
        "referent",
        "accepting a gift",
    )
    assert replied("the laptop", Turn(question="Q?", outcome="clarification", answer="?"))[1] == (
        "referent"
    )


@pytest.mark.parametrize(
    ("text", "standalone"),
    [
        ("and for contractors?", "May contractors accept gifts worth EUR 50?"),
        ("for interns?", "May interns accept gifts worth EUR 50?"),
        ("What about Germany?", "May employees accept gifts worth EUR 50 in Germany?"),
        ("And in the UK?", "May employees accept gifts worth EUR 50 in the UK?"),
        ("who approves it?", f"{GIFTS} who approves it?"),
        ("Why?", f"{GIFTS} Why?"),
        ("Do they need approval?", f"{GIFTS} Do they need approval?"),
        ("And cash?", "May employees accept cash worth EUR 50?"),
        ("For how long?", f"{GIFTS} For how long?"),
        ("how much?", f"{GIFTS} how much?"),
        ("how many days", f"{GIFTS} how many days"),
        ("how often exactly?", f"{GIFTS} how often exactly?"),
        ("In which country?", f"{GIFTS} In which country?"),
        ("Is it allowed in Germany?", f"{GIFTS} Is it allowed in Germany?"),
        ("Is this reported?", f"{GIFTS} Is this reported?"),
        (
            "But what if it is a public official?",
            "May employees accept gifts worth EUR 50 if it is a public official?",
        ),
        (
            "ok, and from a journalist?",
            "May employees accept gifts worth EUR 50 from a journalist?",
        ),
        ("and if it's EUR 200?", "May employees accept gifts worth EUR 200?"),
        ("what about on weekends?", "May employees accept gifts worth EUR 50 on weekends?"),
    ],
)
def test_a_follow_up_is_understood_from_its_thread(text: str, standalone: str) -> None:
    """A message that refers back stands with the question before it."""
    understood = understand(text, [ANSWERED])
    assert (understood.standalone, understood.assumptions) == (standalone, ())


def test_another_country_takes_the_place_of_the_first() -> None:
    """A follow-up about one country drops the country of the earlier question."""
    before = Turn(question="What is the limit in Germany?", outcome="answered", answer="EUR 35")
    standalone = understand("and in the UK?", [before]).standalone
    assert standalone == "What is the limit in the UK?"


@pytest.mark.parametrize(
    "text",
    [
        "How long must records be kept?",
        "Who is the Data Protection Officer?",
        "What is the limit for hotels in London?",
        "Can I claim a taxi?",
        "In which cases may I work from abroad for more than ten days a year?",
        "For how long are records kept?",
        "Is it allowed to work abroad?",
        "What is this company's policy on alcohol?",
        "Are there rules about alcohol?",
        "In which cases may I work abroad?",
        "As an intern, may I work abroad?",
        "In Germany, what is the limit?",
        "Thanks!",
    ],
)
def test_a_plain_question_is_untouched(text: str) -> None:
    """A question of its own takes nothing from the thread, nor from an empty one."""
    assert understand(text, [ANSWERED]).standalone == text
    assert understand(text, []).standalone == text


def test_only_the_last_turn_is_referred_to() -> None:
    """A clarification that was answered since is no longer replied to."""
    assert understand("2", [ASKED, ANSWERED]).assumptions == ()


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  x \n", "x"),
        ("a\u200bb", "ab"),
        ("\ufeffword\u2060s", "words"),
        ("two\x00words", "two words"),
        ("\u200bcafe\u200b\u0301", "caf\u00e9"),
        ("\u202eevil", "evil"),
        ("soft\u00adhyphen", "softhyphen"),
        ("cafe\u0301", "caf\u00e9"),
        ("one\ntwo\tthree", "one\ntwo\tthree"),
        ("\x1b[31mred", "[31mred"),
        ("\u00a0\u3000", ""),
    ],
)
def test_invisible_characters_are_cleaned(text: str, cleaned: str) -> None:
    """Control characters become spaces, what has no width leaves none; lines and tabs stay."""
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("text", "standalone"),
    [
        ("to whom?", "How fast must I report a fire? to whom?"),
        ("since when", "How fast must I report a fire? since when"),
        (
            "and how quickly do I have to put out one",
            "How fast must I report a fire? and how quickly do I have to put out one",
        ),
        ("sorry, meant for contractors", "How fast must contractors report a fire?"),
        ("who approves travel", "who approves travel"),
        ("My manager gave me a gift, can I keep it?", "My manager gave me a gift, can I keep it?"),
        ("sorry, wrong channel", "sorry, wrong channel"),
    ],
)
def test_what_has_no_word_of_its_own_asks_of_what_was_said(text: str, standalone: str) -> None:
    """A question word alone, a pronoun after little else, a correction; not what names itself."""
    before = replace(ANSWERED, question="How fast must I report a fire?")
    assert understand(text, (before,)).standalone == standalone


@given(st.text(max_size=80))
def test_a_clean_text_stays_clean(text: str) -> None:
    """Cleaning twice is cleaning once, and nothing invisible is left."""
    once = clean(text)
    assert clean(once) == once
    assert not any(unicodedata.category(one) in {"Cf", "Co", "Cs"} for one in once)


@example("EMPLOYEE", (ANSWERED,))
@example("HE:CEO", (ANSWERED,))
@given(st.text(max_size=80), st.sampled_from([(), (ANSWERED,), (ASKED,), (ASKED, ANSWERED)]))
def test_any_message_can_be_understood(text: str, history: tuple[Turn, ...]) -> None:
    """Understanding never raises; a message without a thread stands as it is."""
    understood = understand(text, history)
    assert history or understood.standalone == without_greeting(text)
    known = {
        text,
        without_greeting(text),
        ALL,
        *ASKED.options,
        *map(country_name, jurisdictions_in(text, with_cities=True)),
        *facets_of(text).employments,
        *(one.name for one in mentions(text)),
    }
    assert all(said.value in known for said in understood.assumptions)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("May  I\u00a0 \taccept   cash?", "May I accept cash?"),
        ("one\n\n\n \n\t\ntwo\nthree", "one\n\ntwo\nthree"),
        ("a\tb", "a\tb"),
        ("first\r\nsecond", "first \nsecond"),
    ],
)
def test_white_space_is_collapsed(typed: str, read: str) -> None:
    """Runs of it say nothing; lines and paragraphs stay."""
    assert clean(typed) == read


def test_a_number_beyond_measure_is_cut_off() -> None:
    """Forty digits are more than any quantity has; the words around them stay."""
    said = f"Is {'7' * 500} too much for 12 gifts?"
    cut = f"Is {'7' * 40} too much for 12 gifts?"
    assert understand(said, []).standalone == cut
    assert understand(said, [ANSWERED]).standalone == cut


@pytest.mark.parametrize(
    ("text", "standalone"),
    [
        ("and for  contractors ?", "May contractors accept gifts worth EUR 50?"),
        ("What about in the U.K.?", "May employees accept gifts worth EUR 50 in the U.K?"),
        ("for Germany", "May employees accept gifts worth EUR 50 in Germany?"),
        ("As a contractor?!", "May contractors accept gifts worth EUR 50?"),
    ],
)
def test_another_asker_is_exchanged(text: str, standalone: str) -> None:
    """Whatever stands around who or where is meant."""
    assert understand(text, [ANSWERED]).standalone == standalone


LADING = Turn(question="how long are bills of lading kept", outcome="answered", answer="6 years")


@pytest.mark.parametrize(
    "text",
    [
        "no, I meant tachograph data",
        "sorry, i mean tachograph data",
        "oh wait I actually meant tachograph data",
        "tachograph data too?",
        "tachograph data as well",
        "thanks, and tachograph data?",
    ],
)
def test_somebody_corrects_or_extends_what_they_asked(text: str) -> None:
    """What was meant instead, or is asked as well, takes the place of what it is like."""
    understood = understand(text, [LADING])
    assert understood.standalone == "how long are tachograph data kept"
    assert [one.words for one in understood.conditions] == ["tachograph data"]


@pytest.mark.parametrize("text", ["I meant Germany", "no, I meant the first one", "i mean germany"])
def test_what_was_meant_may_be_the_answer_to_a_question_back(text: str) -> None:
    """Who corrects a reply to us has answered."""
    assert replied(text) == (f"{LIMIT} Germany", "jurisdiction", "Germany")


def test_a_correction_that_asks_in_full_stands_alone() -> None:
    """Nothing of what was asked by mistake is carried over."""
    asked = "what is the hotel limit in Rome?"
    assert understand(f"no, I meant {asked}", [LADING]).standalone == asked


@pytest.mark.parametrize(
    "text",
    [
        "Can I bring my wife to a business dinner?",
        "what is the hotel limit in Rome?",
        "how often do I have to be in the office?",
        "do contractors get a laptop?",
    ],
)
def test_another_subject_takes_nothing_over(text: str) -> None:
    """A question that is whole stands alone, whatever was asked before it."""
    understood = understand(text, [LADING])
    assert (understood.standalone, understood.follows) == (text, False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("UK, employee", {"jurisdiction": "United Kingdom", "employment": "employee"}),
        ("contractor in germany", {"jurisdiction": "Germany", "employment": "contractor"}),
        ("I'm an employee in the UK", {"jurisdiction": "United Kingdom", "employment": "employee"}),
        ("Germany", {"jurisdiction": "Germany"}),
    ],
)
def test_a_reply_may_tell_more_than_was_asked(text: str, told: dict[str, str]) -> None:
    """Whoever tells both facts at once is not asked for the second one."""
    assumptions = understand(text, [ASKED]).assumptions
    assert {one.slot: one.value for one in assumptions} == told


@pytest.mark.parametrize(
    "text",
    [
        "May I give wine to a customer? I'm an employee in Germany",
        "I work as a contractor in Germany. May I give wine to a customer?",
    ],
)
def test_where_one_is_employed_is_told_with_the_kind_of_work(text: str) -> None:
    """Both facts of one sentence still hold for the next question of the thread."""
    first = understand(text, [])
    turn = Turn(question=text, outcome="answered", answer="Yes", assumptions=first.assumptions)
    kept = understand("and to a public official?", [turn]).assumptions
    assert {one.slot for one in kept} == {"jurisdiction", "employment"}
    assert "Germany" in {one.value for one in kept}


@pytest.mark.parametrize("text", ["UK please", "in the UK please", "UK"])
def test_a_country_after_a_refusal_is_asked_about(text: str) -> None:
    """Whoever tells their country then wants the same for it."""
    refused = Turn(question=LIMIT, outcome="refused", answer="Not found.", refusal="not_found")
    understood = understand(text, [refused])
    assert understood.follows
    assert "UK" in understood.standalone or "United Kingdom" in understood.standalone


@pytest.mark.parametrize("text", ["no, " * 2_000, "i mean " * 1_100, "sorry i meant " * 600])
def test_hostile_corrections_take_linear_time(text: str) -> None:
    """8,000 characters are read in a fraction of a second of CPU time."""
    began_s = time.process_time()
    understand(text, [LADING])
    assert time.process_time() - began_s < 2.0

"""A statement beside its rendering in another language: what code tells, and what it lets pass."""

from collections import Counter
from time import process_time

import pytest

from core.grounding.marks import unread_force
from core.grounding.renderings import changed_in, read_back_differs
from core.grounding.support import Grounds, ungrounded
from core.language.figures import figures_in
from core.language.languages import Language
from core.language.rule_marks import rule_marks
from core.language.rule_words import Mark
from evals.renderings import RIGHT, SETS, judged_renderings

GERMAN, FRENCH, SPANISH, ENGLISH = (
    Language.GERMAN,
    Language.FRENCH,
    Language.SPANISH,
    Language.ENGLISH,
)
CASH = "Employees must not accept cash from a supplier."
BARGELD = "Mitarbeiter dürfen von einem Lieferanten kein Bargeld annehmen."
HOSTILE = 8_000


@pytest.mark.parametrize("name", SETS)
def test_altered_renderings_are_told_from_right_ones(name: str) -> None:
    """Of the labelled renderings few that are altered pass, and most right ones do."""
    found = list(judged_renderings(name))
    right = [one for one in found if one.kind == RIGHT]
    altered = [one for one in found if one.kind != RIGHT]
    assert (len(right), len(altered)) == {"tune": (60, 68), "test": (36, 36)}[name]
    assert sum(one.is_shown for one in right) >= 0.9 * len(right)
    assert sum(not one.is_shown for one in altered) >= 0.9 * len(altered)
    by_code = sum(one.changed is not None for one in altered)
    assert by_code <= sum(not one.is_shown for one in altered)


@pytest.mark.parametrize(
    ("rendering", "why"),
    [
        (BARGELD, None),
        ("Mitarbeiter dürfen von einem Lieferanten Bargeld annehmen.", "force"),
        ("Mitarbeiter müssen von einem Lieferanten kein Bargeld annehmen.", "force"),
        ("Mitarbeiter sollten von einem Lieferanten kein Bargeld annehmen.", "force"),
        ("Mitarbeiter dürfen von einem Kunden kein Bargeld annehmen.", "people"),
        ("Mitarbeiter dürfen von einem Lieferanten kein Bargeld über 5 EUR annehmen.", "figures"),
        ("Mitarbeiter dürfen nur von einem Lieferanten kein Bargeld annehmen.", "marks"),
        ("Mitarbeiter dürfen gemäß SOX von einem Lieferanten kein Bargeld annehmen.", "SOX"),
        ("Employees must not accept cash from a supplier.", "language"),
        ("Les salariés ne doivent pas accepter d'espèces d'un fournisseur.", "language"),
        (f"{BARGELD} Mehr unter https://example.com", "link"),
        (f"{BARGELD} <@U123>", "link"),
        ("Kein Bargeld.", None),
        ("", "empty"),
        (f"{BARGELD} " + "Das gilt so. " * 40, "characters"),
        ("x" * HOSTILE, "long"),
    ],
)
def test_a_rendering_that_says_something_else_is_not_shown(rendering: str, why: str | None) -> None:
    """Force, people, figures, marks, abbreviations, language, length, and nothing live."""
    found = changed_in(rendering, CASH, wanted=GERMAN)
    if rendering == "Kein Bargeld.":
        assert found is not None
    elif why is None:
        assert found is None
    else:
        assert found is not None
        assert why in found


@pytest.mark.parametrize(
    ("text", "language", "figures"),
    [
        ("EUR 1,000 within thirty days", ENGLISH, {("1000", "EUR"): 1, ("30", "day"): 1}),
        ("1.000 Euro binnen 30 Tagen", GERMAN, {("1000", "EUR"): 1, ("30", "day"): 1}),
        ("1 000 € dans les 30 jours", FRENCH, {("1000", "EUR"): 1, ("30", "day"): 1}),
        ("1.000 EUR en treinta días", SPANISH, {("1000", "EUR"): 1, ("30", "day"): 1}),
        ("10,000 EUR", GERMAN, {("10", "EUR"): 1}),
        ("5 working days", ENGLISH, {("5", "working day"): 1}),
        ("5 Werktage", GERMAN, {("5", "workday, Saturday too"): 1}),
        ("31 March 2026", ENGLISH, {("31", "month 3"): 1, ("2026", ""): 1}),
        ("31 de marzo de 2026", SPANISH, {("31", "month 3"): 1, ("2026", ""): 1}),
        ("USD 1.5 million", ENGLISH, {("1.5 million", "USD"): 1}),
        ("1,5 Millionen USD", GERMAN, {("1.5 million", "USD"): 1}),
        ("section 4.2", ENGLISH, {("4.2", ""): 1}),
    ],
)
def test_figures_are_the_same_in_every_language(
    text: str, language: Language, figures: dict[tuple[str, str], int]
) -> None:
    """However they are written; a thousand in English is ten in German, where it is no thousand."""
    assert figures_in(text, language) == Counter(figures)


@pytest.mark.parametrize(
    ("text", "language", "mark"),
    [
        ("You must not do it.", ENGLISH, Mark.MUST_NOT),
        ("You can't do it.", ENGLISH, Mark.MUST_NOT),
        ("You need not do it.", ENGLISH, Mark.NEED_NOT),
        ("Das dürfen Sie in keinem Fall tun.", GERMAN, Mark.MUST_NOT),
        ("Das müssen Sie nicht tun.", GERMAN, Mark.NEED_NOT),
        ("Es ist zu melden.", GERMAN, Mark.MUST),
        ("Vous ne devez pas le faire.", FRENCH, Mark.MUST_NOT),
        ("Vous n'êtes pas tenu de le faire.", FRENCH, Mark.NEED_NOT),
        ("Il est interdit de le faire.", FRENCH, Mark.MUST_NOT),
        ("No debe hacerlo.", SPANISH, Mark.MUST_NOT),
        ("No tiene que hacerlo.", SPANISH, Mark.NEED_NOT),
        ("No está permitido.", SPANISH, Mark.MUST_NOT),
    ],
)
def test_what_must_not_be_done_is_told_from_what_need_not(
    text: str, language: Language, mark: Mark
) -> None:
    """The classic mistranslation: "must not" is no "muss nicht"."""
    assert rule_marks(text, language) == Counter({mark: 1})


def test_the_month_is_no_permission() -> None:
    """ "May" after a day is a month."""
    assert rule_marks("It ends on 1 May 2026.", ENGLISH) == Counter()


def test_reading_back_finds_who_was_exchanged() -> None:
    """Lists of words see the same people; a claim about others does not pass."""
    statement = "The manager must inform the employee within two weeks."
    swapped = "Der Mitarbeiter muss den Vorgesetzten innerhalb von zwei Wochen informieren."
    assert changed_in(swapped, statement, wanted=GERMAN) is None
    assert read_back_differs("The employee must inform the manager within two weeks.", statement)
    assert read_back_differs(statement, statement) is None
    assert read_back_differs(swapped, statement)
    assert read_back_differs("", statement)


QUOTE = (
    "Geschenke bis 50 EUR dürfen angenommen werden. Bargeld darf in keinem Fall angenommen werden."
)


@pytest.mark.parametrize(
    ("claim", "passes"),
    [
        ("Bargeld darf in keinem Fall angenommen werden.", True),
        ("Sie dürfen kein Bargeld annehmen.", True),
        ("Geschenke bis 50 EUR dürfen Sie annehmen.", True),
        ("Bargeld darf in jedem Fall angenommen werden.", False),
        ("Sie dürfen Bargeld annehmen.", False),
        ("Bargeld muss nicht angenommen werden.", False),
        ("Geschenke bis 500 EUR dürfen Sie annehmen.", False),
        ("Geschenke bis 50 EUR dürfen nicht angenommen werden.", False),
        ("Geschenke ab 50 EUR dürfen angenommen werden.", False),
    ],
)
def test_a_german_claim_keeps_the_force_of_the_german_text(claim: str, *, passes: bool) -> None:
    """Where the policies are in German, a claim that turns one round is dropped."""
    found = [one for one in ungrounded(claim, Grounds(texts=[QUOTE])).values() if one]
    assert (not found) is passes, found


def test_a_claim_in_a_language_without_lists_may_only_quote() -> None:
    """Nothing could tell that it says the opposite."""
    assert unread_force("Non si può.", ["Si può."], Language.OTHER)


@pytest.mark.parametrize(
    "text",
    ["ist ", "ne ", "n'a ", "1 ", "1,", "1 000 ", "ist zu ", "no ", "dix-", " ", "a", "qu'", "IT-"],
)
def test_long_texts_are_read_in_no_time(text: str) -> None:
    """Of 8,000 hostile characters as few are read as an answer has."""
    long = (text * HOSTILE)[:HOSTILE]
    began = process_time()
    for language in (ENGLISH, GERMAN, FRENCH, SPANISH):
        rule_marks(long, language)
        figures_in(long, language)
    changed_in(long[:2_000], CASH, wanted=GERMAN)
    assert process_time() - began < 1.0

"""The rule first: only where modality, bound and lead-in give it with certainty."""

from dataclasses import replace

import pytest

from core.agent.reply.verdict import verdict
from core.domain.answer import Citation, Claim
from core.grounding.yes_or_no import Polarity, needs_approval, polarity
from core.language.phrasing import item_sentence, sentence
from core.language.spans import Span, VersionId
from tests.factories import make_place


def _claim(text: str, lead_in: str | None = None, *, start: int = 100) -> Claim:
    def cited(quote: str, begins: int) -> Citation:
        span = Span(version_id=VersionId(1), char_start=begins, char_end=begins + len(quote))
        return Citation(key="c1", span=span, quote=quote)

    if lead_in is None:
        return Claim(text=sentence(text), citations=(cited(text, start),))
    return Claim(
        text=item_sentence(lead_in, text), citations=(cited(lead_in, 1), cited(text, start))
    )


def _said(question: str, text: str, lead_in: str | None = None) -> str | None:
    found = verdict(question, [_claim(text, lead_in)])
    return found.text if found else None


CASH = "Employees must not accept cash."
GIFTS = "Employees may accept gifts worth up to EUR 35."


@pytest.mark.parametrize(
    ("question", "text", "lead_in", "said"),
    [
        ("May I accept cash?", CASH, None, "Not allowed."),
        ("Is it forbidden to accept cash?", CASH, None, "Not allowed."),
        ("am I allowed to accept cash", "- accept cash;", "Employees must not:", "Not allowed."),
        ("Can a public file be hidden?", "Public files cannot be hidden.", None, "No."),
        ("Can I accept gifts?", GIFTS, None, "Yes, up to EUR 35."),
        ("Can I accept gifts worth EUR 30?", GIFTS, None, "Yes, up to EUR 35."),
        ("Do I have to register gifts?", "All gifts must be registered.", None, "Yes."),
        ("Do I need to register meals?", "Meals need not be registered.", None, "No."),
        ("Is it prohibited to work abroad?", "Employees may work abroad.", None, "No."),
        ("Can I accept cash if it is a small sum?", CASH, None, "Not allowed."),
        (
            "Can I accept cash?",
            "Employees must not accept cash unless the CFO agrees.",
            None,
            "Not allowed, with exceptions.",
        ),
        (
            "Can I work abroad?",
            "Employees may work abroad if their manager agrees.",
            None,
            "Yes, with conditions.",
        ),
        (
            "Do I have to lock my screen?",
            "Unless it is a kiosk, you must lock your screen.",
            None,
            "Yes, with exceptions.",
        ),
        ("Do I need a visitor badge?", "All visitors must wear a badge.", None, "Yes."),
        ("Are backups encrypted?", "Backups are encrypted and kept off site.", None, "Yes."),
        ("Is harassment tolerated?", "Harassment is never tolerated here.", None, "No."),
        (
            "Can I install software from the web?",
            "Installing software from the web requires prior written approval.",
            None,
            "Only with approval.",
        ),
        (
            "How long do I have to report a breach?",
            "A breach must be reported within 72 hours of its discovery.",
            None,
            "Within 72 hours.",
        ),
        (
            "What's the hotel limit?",
            "The limit for a hotel is EUR 190 per night.",
            None,
            "EUR 190 per night.",
        ),
        (
            "how long are contracts kept?",
            "Contracts are kept for at least 6 years.",
            None,
            "For at least 6 years.",
        ),
        (
            "my report is late. by when is it due?",
            "Reports are due within 30 days of the trip, unless Finance extends that.",
            None,
            "As a rule, within 30 days.",
        ),
        (
            "how often are keys changed?",
            "Keys must be changed on at least a monthly basis.",
            None,
            "At least monthly.",
        ),
        (
            "Who approves an exception?",
            "Each exception must be approved by the Security team and the owner.",
            None,
            "The Security team and the owner.",
        ),
        (
            "how far ahead do I announce a sabbatical?",
            "Announce a sabbatical at least 4 weeks in advance.",
            None,
            "At least 4 weeks in advance.",
        ),
    ],
)
def test_the_rule_comes_first(question: str, text: str, lead_in: str | None, said: str) -> None:
    """In a few words, where the sentence leaves no doubt."""
    assert _said(question, text, lead_in) == said


@pytest.mark.parametrize(
    ("question", "text", "lead_in"),
    [
        pytest.param("Can I accept gifts worth EUR 40?", GIFTS, None, id="more than the limit"),
        pytest.param("Can I accept gifts worth USD 30?", GIFTS, None, id="another currency"),
        pytest.param("Can I accept gifts from officials?", GIFTS, None, id="a narrower question"),
        pytest.param(
            "Can I accept gifts?",
            "Employees must not accept cash gifts.",
            None,
            id="a narrower rule",
        ),
        pytest.param(
            "Can I accept a gift?",
            "Contractors must not accept any gift.",
            None,
            id="another group",
        ),
        pytest.param(
            "Can I accept cash with the agreement of the CFO?",
            "Employees must not accept cash unless the CFO agrees.",
            None,
            id="the exception itself",
        ),
        pytest.param(
            "Do I have to register gifts if they are small?",
            "All gifts must be registered.",
            None,
            id="a duty in another situation",
        ),
        pytest.param(
            "Can I work abroad while on parental leave?",
            "Employees may work abroad.",
            None,
            id="a permission for another situation",
        ),
        pytest.param(
            "Are cars insured?", "Cars may be insured by the owner.", None, id="may be so"
        ),
        pytest.param(
            "Are cars washed?",
            "Cars are washed and insured if leased.",
            None,
            id="so under a condition",
        ),
        pytest.param(
            "Do I need approval to buy software?",
            "All staff must attend a course to buy software.",
            None,
            id="something else is needed",
        ),
        pytest.param(
            "how long are recordings kept?",
            "Recordings are deleted after 30 days.",
            None,
            id="when it ends, not how long it lasts",
        ),
        pytest.param(
            "How often are the tables reviewed?",
            "At a minimum, the tables are reviewed once per year.",
            None,
            id="a bound that stands apart",
        ),
        pytest.param(
            "How often is the mirror updated?",
            "The mirror is updated bi-weekly and checked nightly.",
            None,
            id="two frequencies",
        ),
        pytest.param(
            "How much is paid for a phone?",
            "We pay USD 75 for a phone monthly.",
            None,
            id="an amount whose period stands elsewhere",
        ),
        pytest.param(
            "How many days off are a problem?",
            "Leave of more than 3 days is not approved.",
            None,
            id="a bound of what is not so",
        ),
        pytest.param(
            "Who approves an exception?",
            "Exceptions are approved by the owner and logged in the register.",
            None,
            id="more is done than what is asked",
        ),
        pytest.param("Can I not accept cash?", CASH, None, id="a negated question"),
        pytest.param("Can't I accept cash?", CASH, None, id="a negated question, short"),
        pytest.param(
            "Do I not have to register gifts?",
            "All gifts must be registered.",
            None,
            id="do not have to",
        ),
        pytest.param("Can I accept cash or a voucher?", CASH, None, id="an alternative"),
        pytest.param("Can I refuse to accept cash?", CASH, None, id="the opposite act"),
        pytest.param(
            "Can I accept cash?",
            "We do not allow accepting cash.",
            "Not allowed.",
            id="do not allow",
        ),
        pytest.param("Can I accept cash?", "No cash is acceptable.", None, id="no X is acceptable"),
        pytest.param(
            "Do I have to register gifts?",
            "Gifts over EUR 50 must be registered.",
            None,
            id="from an amount on",
        ),
        pytest.param(
            "May I work abroad?", "Employees must work in the office.", None, id="another modality"
        ),
        pytest.param(
            "Can I get fired for accepting cash?", CASH, None, id="no question of permission"
        ),
        pytest.param(
            "How long are files kept?",
            "Files are kept for 3 years in Germany.",
            None,
            id="one country",
        ),
        pytest.param(
            "How long are files kept?",
            "Files are kept for 3 years, or 6 years for pensions.",
            None,
            id="two figures",
        ),
        pytest.param("How long are files kept?", "Zero-day files are kept.", None, id="no figure"),
        pytest.param(
            "How long is the notice of termination?",
            "Interns have a notice of termination of 2 weeks.",
            None,
            id="a group",
        ),
        pytest.param(
            "How much is a hotel?", "A hotel is booked within 30 days.", None, id="another kind"
        ),
        pytest.param(
            "How long are files kept?",
            "Files are kept for 3 years if signed.",
            None,
            id="a condition",
        ),
        pytest.param("What are gifts?", GIFTS, None, id="neither"),
    ],
)
def test_there_is_no_rule_where_anything_is_open(
    question: str, text: str, lead_in: str | None
) -> None:
    """Conditions, exceptions, groups, other amounts and twisted questions get the words alone."""
    assert _said(question, text, lead_in) is None


def test_a_rule_cites_what_its_claim_cites() -> None:
    """It is a claim like any other."""
    claim = _claim("- accept cash;", "Employees must not:")
    found = verdict("Can I accept cash?", [claim])
    assert found is not None
    assert found.citations == claim.citations


def test_another_claim_may_take_the_certainty() -> None:
    """An exception, or a second figure about the same, leaves the words to speak."""
    cash = _claim(CASH)
    lent = _claim("Cashiers may accept cash at the counter.", start=500)
    assert verdict("May I accept cash?", [cash, lent]) is None
    threat = _claim("A payment of cash under threat is exempt.", start=500)
    assert verdict("May I accept cash?", [cash, threat]) is None
    firm = _claim("There is no exception for cash.", start=500)
    assert verdict("May I accept cash?", [cash, firm]) is not None
    kept = _claim("Contracts are kept for 6 years.")
    longer = _claim("Contracts of pensions are kept for 30 years.", start=500)
    assert verdict("How long are contracts kept?", [kept, longer]) is None


def test_a_section_for_some_rules_for_nobody_else() -> None:
    """The heading above a sentence, and the country of its policy, are read too."""
    claims = [_claim(CASH)]
    asked = "May I accept cash?"
    assert verdict(asked, claims, place=make_place("Cash")) is not None
    assert verdict(asked, claims, place=make_place("Contractors")) is None
    german = replace(make_place("Cash"), jurisdiction="DE")
    assert verdict(asked, claims, place=german) is None
    assert verdict("May I accept cash in Germany?", claims, place=german) is not None


def test_words_of_a_model_get_no_rule() -> None:
    """Only what is quoted as it stands is read: a model says itself what follows."""
    claim = replace(_claim(CASH), text="You must decline cash.")
    assert verdict("May I accept cash?", [claim]) is None
    assert verdict("May I accept cash?", []) is None


def test_polarity_reads_the_lead_in() -> None:
    """The same item answers differently under another lead-in."""
    asked = "May I accept cash?"
    assert polarity(asked, "accept cash", "Employees must not:") is Polarity.NO
    assert polarity(asked, "accept cash", "Employees may:") is Polarity.YES
    assert polarity(asked, "accept cash") is None
    assert polarity("Is it forbidden to accept cash?", CASH) is Polarity.YES


def test_an_approval_under_a_condition_is_none() -> None:
    """What needs an approval in some cases only is not said to need one."""
    asked = "May I install tools on my laptop?"
    assert needs_approval(asked, "Tools on a laptop must be approved by IT.")
    assert not needs_approval(asked, "Tools on a laptop must be approved by IT if they are paid.")
    assert not needs_approval(asked, "Tools on a laptop over EUR 50 must be approved by IT.")


def test_a_sentence_that_surely_answers_needs_one_common_word() -> None:
    """ "Can I root my phone?" is answered by "Do not root your device", if a reader says so."""
    claims = [_claim("Do not jailbreak or root your mobile device.")]
    assert verdict("Is it ok to root a phone?", claims) is None
    found = verdict("Is it ok to root a phone?", claims, is_found=True)
    assert found is not None
    assert found.text == "Not allowed."
    others = [_claim("Contractors must not accept any gift.")]
    assert verdict("Can I accept a present or gift card?", others, is_found=True) is None
    assert verdict("Can I accept a gift?", others, is_found=True) is None
    least = [_claim("Direct access must be kept to an absolute minimum.")]
    assert verdict("should everyone have direct access", least, is_found=True) is None


def test_the_words_of_a_model_must_bear_out_what_the_quote_does() -> None:
    """Where the two differ, or the claim rules itself, nothing stands before it."""
    quoted = _claim(CASH)

    def said(text: str) -> str | None:
        found = verdict("May I accept cash?", [replace(quoted, text=text)])
        return found.text if found else None

    assert said("You must not accept any cash, whoever offers it.") == "Not allowed."
    assert said("You may accept cash.") is None
    assert said("No, you must not accept cash.") is None

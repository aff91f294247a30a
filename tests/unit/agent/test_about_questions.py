"""Which questions ask for facts about policies, and which policies they name."""

from itertools import pairwise
from time import process_time

import pytest

from core.agent.policy_facts.policy_names import mentions, policies_meant, policies_named
from core.agent.policy_facts.question_forms import PolicyQuestion, bind_to_policies, policy_question
from core.domain.policy import PolicyMetadata, PolicyVersion
from core.domain.policy_facts import FactKind
from core.domain.question import Turn
from core.language.conditions import ConditionKind
from core.language.spans import VersionId
from tests.factories import make_question
from tests.fakes import InMemoryCorpus, Policy


def _versions(*titles: str) -> list[PolicyVersion]:
    """Return policies by "key|title|country|file", as little of it as a test needs."""
    found: list[PolicyVersion] = []
    for number, line in enumerate(titles, start=1):
        key, title, country, file = (*line.split("|"), "", "")[:4]
        metadata = PolicyMetadata(key=key, title=title, jurisdiction=country or None)
        found.append(
            PolicyVersion(
                version_id=VersionId(number),
                metadata=metadata,
                edition=1,
                source_name=file or f"{key}.md",
            )
        )
    return found


SHELF = _versions(
    "gifts|Gifts and Hospitality Policy",
    "gifts-de|Gifts and Hospitality: Supplement for Germany|DE",
    "travel|Travel and Expenses Policy||travel.pdf",
    "aml|Anti-Money-Laundering and Customer Due Diligence Policy",
    "third-party|Third-Party Due Diligence Policy",
    "speak-up|Speak Up Policy",
    "comp-002|Anti-Corruption Standard||COMP-002_anti_corruption.md",
    "conduct|Ethical Conduct Guidelines||boeing_conduct_guidelines.pdf",
    "coi|Conflicts of Interest Policy",
)


def _asked(text: str, *history: Turn) -> PolicyQuestion | None:
    return policy_question(make_question(text, history=history))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Who owns the travel policy?", "owner"),
        ("who is the owner of our T&E policy", "owner"),
        ("Hi, could you tell me who is responsible for the speak-up policy? Thanks", "owner"),
        ("which department owns travel.pdf?", "owner"),
        ("who owns the policy on conflicts of interest?", "owner"),
        ("Which version of the gifts policy is in force?", "version"),
        ("which version of the gifts policy is in force / since when?", "version"),
        ("Since when has the gifts policy been in force?", "version"),
        ("When was the travel policy last changed and what changed?", "change"),
        ("has the travel policy changed recently?", "change"),
        ("What's new in the travel policy?", "change"),
        ("Where can I read the travel policy?", "place"),
        ("do you have a link to the code of conduct", "place"),
        ("Summarise the travel policy", "summary"),
        ("give me a short summary of the speak up policy please", "summary"),
        ("What does the travel policy say?", "summary"),
        ("What policies do you have?", "listing"),
        ("list all policies", "listing"),
        ("Which policies apply to contractors?", "applying"),
        ("which policies do interns have to follow?", "applying"),
        ("Who owns the travel policy, what version is it and where can I find it?",
         "owner version place"),
        ("Who owns FIN-001 and COMP-002?", "owner"),
    ],
)  # fmt: skip
def test_a_question_about_a_policy_is_recognised(text: str, kinds: str) -> None:
    asked = _asked(text)
    assert asked is not None
    assert " ".join(asked.kinds) == kinds


@pytest.mark.parametrize(
    "text",
    [
        "Who is the owner of the vendor account?",
        "Who approves travel?",
        "Who do I ask for an exception to this policy?",
        "Who is responsible for updating the travel policy?",
        "Who is responsible for due diligence?",
        "Who owns the travel policy and what is the hotel limit?",
        "What does the gifts policy say about vouchers?",
        "Which version of the contract template do I use?",
        "When was the last time that gifts had to be registered?",
        "Where can I read how gifts are registered?",
        "What changed in the approval limits under the travel policy?",
        "Which policy applies to gifts?",
        "Summarise what I may spend on hotels",
        "how often is the travel policy reviewed?",
        "who can change the travel policy",
        "who wrote the code?",
        "Do the policies apply to contractors?",
        "I own the travel policy.",
    ],
)
def test_all_other_questions_go_the_ordinary_way(text: str) -> None:
    """Every part must ask for a fact about a policy: what merely sounds like it does not."""
    assert _asked(text) is None


def test_a_role_is_read_without_its_article() -> None:
    for text in (
        "Which policies apply to the contractors?",
        "which policies do contractors follow",
    ):
        asked = _asked(text)
        assert asked is not None
        assert asked.role == "contractors"
    own = _asked("Which policies apply to me?")
    assert own is not None
    assert own.role == ""


def test_the_reply_to_which_one_takes_up_the_question() -> None:
    """The title that was offered and chosen; any other message is a question of its own."""
    turn = Turn(
        question="Who owns the due diligence policy?",
        outcome="clarification",
        answer="Which one?",
        slot="policy",
        options=("A", "B"),
    )
    assert _asked("What is the hotel limit?", turn) is None
    asked = _asked("Who owns the travel policy?", turn)
    assert asked is not None
    assert asked.chosen is None


@pytest.mark.parametrize(
    "text",
    [
        "who owns " + "the policy " * 800,
        "what is " + "and what changed " * 500,
        "policy of " * 900,
        "which policies apply to " + "a " * 4_000,
        "at Aa " * 1_300 + "GmbH",
        "§" * 8_000,
        "-".join("a" * 4_000),
        "what does the policy say " * 320,
    ],
)
def test_hostile_questions_are_read_in_linear_time(text: str) -> None:
    """8,000 characters take no longer than a few milliseconds; a tenth of a second is generous."""
    began = process_time()
    _asked(text)
    policies_named(text, SHELF)
    assert process_time() - began < 1.0


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Who owns the travel policy?", "travel"),
        ("who owns the T&E policy", "travel"),
        ("the anti corruption standard", "comp-002"),
        ("who owns the anti-corruption policy", "comp-002"),
        ("what is in the anticorruption policy", "comp-002"),
        ("COMP-002", "comp-002"),
        ("open travel.pdf", "travel"),
        ("the AML policy", "aml"),
        ("our COI policy", "coi"),
        ("the speak up policy", "speak-up"),
        ("the gifts policy", "gifts"),
        ("the gifts policy for Germany", "gifts-de"),
        ("the German gifts policy", "gifts-de"),
        ("the policy on conflicts of interest", "coi"),
        ("in the Boeing code", "conduct"),
        ("the due diligence policy", "aml third-party"),
        ("the pension policy", ""),
        ("the vendor travel policy", ""),
        ("the policy", ""),
        ("FIN-009", ""),
    ],
)
def test_a_name_means_the_policies_that_have_all_of_its_words(text: str, keys: str) -> None:
    found = [
        one.metadata.key for name in mentions(text) for one in policies_meant(name, SHELF, text)
    ]
    assert " ".join(found) == keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("What does the gifts policy say about vouchers?", "gifts gifts-de"),
        ("What does the gifts policy say about vouchers in France?", "gifts"),
        ("Are flights booked early according to travel.pdf?", "travel"),
        ("In the Boeing code, may I accept tickets?", "conduct"),
        ("May I accept tickets at Boeing?", "conduct"),
        ("May I accept tickets at Acme GmbH?", ""),
        ("What does the pension policy say about vouchers?", ""),
        ("Is there a dress code?", ""),
        ("May I travel at night?", ""),
    ],
)
def test_names_bind_the_search(text: str, keys: str) -> None:
    """A policy with its supplements; a company by title or file; an unknown name binds nothing."""
    assert " ".join(one.metadata.key for one in policies_named(text, SHELF)) == keys


def test_a_company_that_every_policy_is_of_binds_nothing() -> None:
    one, other = _versions("a|Acme Travel Policy", "b|Acme Gifts Policy")
    assert policies_named("What holds at Acme?", [one, other]) == ()
    assert policies_named("What holds at Acme GmbH?", [one]) == ()


async def test_a_country_binds_to_its_policies_and_to_those_for_everywhere() -> None:
    """Where there are some of its own; in a country without any, all may be searched."""
    corpus = InMemoryCorpus(
        Policy(key="all", title="Gifts Policy", text="# Gifts\n"),
        Policy(key="de", title="Gifts in Germany", text="# Gifts\n", jurisdiction="DE"),
        Policy(key="gb", title="Gifts in Britain", text="# Gifts\n", jurisdiction="GB"),
    )
    asked = await bind_to_policies(make_question("What may I accept in Germany?"), corpus)
    assert (asked.bound, asked.named) == ({"all", "de"}, ())
    nowhere = await bind_to_policies(make_question("What may I accept in France?"), corpus)
    assert nowhere.bound == frozenset()


async def test_what_a_policy_says_about_something_is_asked_without_its_name() -> None:
    """Sentences that name the policy would be found for its name alone."""
    corpus = InMemoryCorpus(Policy(key="gifts", title="Gifts Policy", text="# Gifts\n"))
    asked = await bind_to_policies(
        make_question("What does the gifts policy say about vouchers?"), corpus
    )
    assert asked.search_text == "Which rules are there on vouchers?"
    assert (asked.bound, asked.named) == ({"gifts"}, ("Gifts Policy",))
    for text in ("What does the pension policy say about vouchers?", "What is the gifts policy?"):
        assert (await bind_to_policies(make_question(text), corpus)).search_text == text


async def test_a_policy_that_nobody_knows_must_be_named_by_what_is_quoted() -> None:
    """Who owns another policy is no answer."""
    corpus = InMemoryCorpus(Policy(key="gifts", title="Gifts Policy", text="# Gifts\n"))
    [unknown] = (
        await bind_to_policies(make_question("Who owns the pension policy?"), corpus)
    ).conditions
    assert (unknown.kind, unknown.words) == (ConditionKind.POLICY, "pension policy")
    assert unknown.is_new
    assert (
        await bind_to_policies(make_question("Who owns the gifts policy?"), corpus)
    ).conditions == ()


def test_names_do_not_overlap() -> None:
    found = mentions("the gifts policy, the travel policy and COMP-002.md, policy on gifts policy")
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert len(found) >= 3


def test_kinds_are_told_once() -> None:
    asked = _asked("who owns the gifts policy and who owns the travel policy?")
    assert asked is not None
    assert asked.kinds == (FactKind.OWNER,)
    assert [one.mention.words for one in asked.wanted if one.mention] == [("gifts",), ("travel",)]

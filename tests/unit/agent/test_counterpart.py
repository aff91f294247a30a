"""Which thing of a question a follow-up exchanges, with an embedder and by words alone."""

import time

import pytest

from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.agent.conversation.counterpart import named_thing, things_in
from core.agent.conversation.follow_up import follow_up

LADING = "how long are bills of lading kept"
PAIRS = [
    (LADING, "and tachograph data?", "how long are tachograph data kept"),
    ("how much leave can I carry over?", "and overtime?", "how much overtime can I carry over?"),
    (
        "how much annual leave can I carry over?",
        "what about sick leave?",
        "how much sick leave can I carry over?",
    ),
    ("What's the gift limit?", "and for dinners?", "What's the dinner limit?"),
    (
        "how many days of vacation do we get",
        "and parental leave",
        "how many days of parental leave do we get",
    ),
    (
        "can i book a hotel with the company card?",
        "and flights too?",
        "can i book flights with the company card?",
    ),
    ("Can I bring my laptop home?", "and a tablet?", "Can I bring a tablet home?"),
    (
        "Can I take a taxi to the airport?",
        "what about the train?",
        "Can I take the train to the airport?",
    ),
    ("do i get overtime on sundays?", "and on weekends?", "do i get overtime on weekends?"),
    ("How long do we keep backups?", "and logs?", "How long do we keep logs?"),
    ("Who approves travel abroad?", "and training?", "Who approves training abroad?"),
    (
        "Who signs contracts above EUR 50,000?",
        "and purchase orders?",
        "Who signs purchase orders above EUR 50,000?",
    ),
    (
        "Can I share customer data by chat?",
        "and by email?",
        "Can I share customer data by email?",
    ),
    ("What happens if I lose my badge?", "and my laptop?", "What happens if I lose my laptop?"),
    (
        "am I allowed to install software on my laptop?",
        "and games?",
        "am I allowed to install games on my laptop?",
    ),
    ("Do contractors get lunch?", "and dinner?", "Do contractors get dinner?"),
    (
        "Is alcohol reimbursed on business trips?",
        "and the minibar?",
        "Is the minibar reimbursed on business trips?",
    ),
    (
        "what is the deadline for expense reports?",
        "for timesheets?",
        "what is the deadline for timesheets?",
    ),
    ("May I use ChatGPT for code?", "and for emails?", "May I use ChatGPT for emails?"),
    ("Can I bring my dog to the office?", "and my cat?", "Can I bring my cat to the office?"),
    (
        "May I accept gifts worth EUR 50?",
        "what if it is a gift card?",
        "May I accept a gift card worth EUR 50?",
    ),
]
ONLY_WITH_AN_EMBEDDER = [
    (
        "What is the hotel limit in London?",
        "and rotterdam?",
        "What is the hotel limit in rotterdam?",
    ),
    (
        "Can I share customer data by chat?",
        "and email?",
        "Can I share customer data by email?",
    ),
]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    """The embedder that the product carries."""
    found = find_local_embedder(None)
    assert isinstance(found, LocalEmbedder)
    return found


@pytest.mark.parametrize(("question", "text", "standalone"), PAIRS)
def test_a_thing_takes_the_place_of_its_counterpart(
    question: str, text: str, standalone: str
) -> None:
    """Both things in one question would be answered with the one that was asked about before."""
    assert follow_up(question, text).standalone == standalone


@pytest.mark.parametrize(("question", "text", "standalone"), [*PAIRS, *ONLY_WITH_AN_EMBEDDER])
async def test_what_is_most_alike_gives_way(
    question: str, text: str, standalone: str, embedder: LocalEmbedder
) -> None:
    """What things have in common, an embedder knows: cities, ways to send, weekdays."""
    compared = follow_up(question, text).compared
    vectors = dict(zip(compared, await embedder.embed_documents(compared), strict=True))
    assert follow_up(question, text, vectors).standalone == standalone


def test_the_new_thing_is_what_the_answer_must_speak_of() -> None:
    """Whatever takes a place in the question is a new condition."""
    found = follow_up(LADING, "and tachograph data?")
    assert [(one.words, one.is_new) for one in found.news] == [("tachograph data", True)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("May I accept a gift from a supplier?", "and the deadline?"),
        ("May I accept a gift from a supplier?", "without a receipt?"),
        ("May I accept a gift from a supplier?", "even if it is small?"),
        ("Is this allowed?", "and cash?"),
    ],
)
def test_what_has_no_counterpart_is_added(question: str, text: str) -> None:
    """What is measured, how, and what nothing in the question is like, exchanges nothing."""
    standalone = follow_up(question, text).standalone
    assert standalone.startswith(question.rstrip("?"))
    assert standalone != question


@pytest.mark.parametrize(
    ("question", "things"),
    [
        (LADING, ["bills of lading"]),
        ("Can I give a customer tickets to the opera?", ["tickets", "opera"]),
        ("Can I work in Germany as a contractor?", []),
        ("What is the limit per day?", []),
        ("May I pay EUR 50 to a supplier?", []),
        ("is my phone plan reimbursed", ["phone plan"]),
    ],
)
def test_people_places_and_measures_are_no_things(question: str, things: list[str]) -> None:
    """Who, where and how much are exchanged by their kinds; verbs are no things either."""
    assert [one.words for one in things_in(question)] == things


@pytest.mark.parametrize("text", ["", "?", "the", "for", "EUR 50", "I travel by train", "a " * 9])
def test_no_thing_is_named(text: str) -> None:
    """A clause, a figure or nothing at all is no thing."""
    assert named_thing(text) is None


@pytest.mark.parametrize(
    "question",
    [
        "friend " * 1_100,
        "a of " * 1_600,
        "of " * 2_600,
        "my customer the " * 500,
        "days of " * 1_000,
        "x" * 8_000,
    ],
)
def test_hostile_questions_take_linear_time(question: str) -> None:
    """8,000 characters are read in a fraction of a second of CPU time."""
    began_s = time.process_time()
    things_in(question)
    follow_up(question, "and dinners?")
    assert time.process_time() - began_s < 2.0

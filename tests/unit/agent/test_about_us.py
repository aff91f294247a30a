"""What is asked about the assistant itself is answered from the product, and nothing else is."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from core.adapters.local.about_us import WEIGHTS, LocalSelfQuestions
from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.agent.about_us import said_of, topics_of
from core.agent.conversation.misconduct import is_confidential
from core.agent.conversation.understanding import small_talk_of
from core.agent.fallback import Fallback
from core.agent.pipeline import Pipeline
from core.agent.reply.answer_json import answer_json, answer_of
from core.agent.request import PipelineParts, Task
from core.config.settings import Settings
from core.domain.answer import Answer, Draft, Outcome
from core.domain.question import ABOUT_US_SLOT, Deployment, Question, SelfTopic, Turn
from core.language.languages import Language
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports.text_models import AboutUs
from core.retrieval.retriever import Retriever
from tests.factories import make_question
from tests.fakes import FixedClock, InMemoryOntology, ScriptedReasoner
from tests.unit.agent.world import make_world

SAMPLES = Path(__file__).parents[3] / "samples" / "questions"
LOOKS_ALIKE = (
    "How long do we store customer data?",
    "Who can read personnel files?",
    "What data may I store on my laptop?",
    "Can I report expenses anonymously?",
    "what do you need to open a supplier account",
    "are bots allowed in Teams?",
    "Can my manager read my emails?",
    "Sick notes: who can read this?",
    "There's a man with a knife in hall 3",
    "Man fell from the reach stacker, hes conscious but cant move his leg",
    "Wie lange bewahren wir Belege auf?",
    "does HR keep records of what I ask HR?",
)
REALLY_ABOUT_US = {
    "Is it possible to report a concern without giving my name?",
    "Is there an ombudsperson I can talk to?",
    "who r u",
    "what policies do you know?",
    "Is there an example of how an anonymous report was dealt with?",
    "what's the phone number of the speak-up line?",
    "what languages do they speak on the speak up line",
    "If staff suspect money laundering, how quickly does it have to be reported, and can that be"
    " combined with a speak-up report?",
}
"""Of the samples' questions, those that are, and those that the policy on reporting answers."""
TAKEN_WRONGLY = {
    "Somebody tried to trick us into a payment by email. Who do I report that to, and can I forward"
    " the mail to my colleagues to warn them?",
}
"""It is told how to report misconduct, which was not asked."""


@pytest.fixture(scope="module")
def about_us() -> AboutUs:
    """The weights that the product carries, over its embedder."""
    embedder = find_local_embedder(None)
    assert isinstance(embedder, LocalEmbedder)
    return AboutUs(recognise=LocalSelfQuestions(embedder))


def test_the_weights_are_those_of_the_card() -> None:
    """What the card says was measured holds for the file that is there."""
    card = WEIGHTS.with_name("ABOUT_US_CARD.md").read_text("utf-8")
    assert hashlib.sha256(WEIGHTS.read_bytes()).hexdigest() in card


class Likely:
    """Takes each text to ask what is stored, as likely as this."""

    def __init__(self, likely: float = 1.0) -> None:
        self._likely = likely

    async def likelihoods(self, text: str, /) -> Mapping[SelfTopic, float]:
        """See `SelfQuestions.likelihoods`; a gift is nothing about us."""
        likely = 0.0 if "gift" in text and len(text) < 40 else self._likely
        return {SelfTopic.STORAGE: likely}


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What data do you store about me when I ask you something?", SelfTopic.STORAGE),
        ("hey, how long are my questions kept?", SelfTopic.STORAGE),
        ("does my manager see it", SelfTopic.READERS),
        (
            "hi, quick question before I type anything: who gets to see what I write here?",
            SelfTopic.READERS,
        ),
        ("I'm new in Berlin. Does my boss see what I ask you?", SelfTopic.READERS),
        ("can I ask anonymously", SelfTopic.ANONYMITY),
        ("are you a bot", SelfTopic.IDENTITY),
        ("r u chatgpt", SelfTopic.IDENTITY),
        ("what kind of questions can I ask here", SelfTopic.CAPABILITIES),
        ("are you ever wrong?", SelfTopic.RELIABILITY),
        ("how do I report fraud anonymously?", SelfTopic.SPEAK_UP),
        ("I want to blow the whistle but stay unnamed, how?", SelfTopic.SPEAK_UP),
        ("is there a hotline for ethics stuff", SelfTopic.SPEAK_UP),
    ],
)
async def test_it_is_recognised_in_many_wordings(
    about_us: AboutUs, text: str, topic: SelfTopic
) -> None:
    """Alone, after a greeting, and after what somebody tells first."""
    assert await topics_of(make_question(text), about_us) == {topic}


async def test_several_things_are_asked_at_once(about_us: AboutUs) -> None:
    """Each is answered."""
    found = await topics_of(
        make_question("Are you a bot? And who can read what I ask you?"), about_us
    )
    assert found == {SelfTopic.IDENTITY, SelfTopic.READERS}


@pytest.mark.parametrize("text", LOOKS_ALIKE)
async def test_a_question_about_policies_that_looks_alike_is_none(
    about_us: AboutUs, text: str
) -> None:
    """The words are the same, and somebody else is meant; nor is an accident in a few words."""
    assert await topics_of(make_question(text), about_us) == frozenset()


async def test_questions_about_the_samples_are_none(about_us: AboutUs) -> None:
    """Of all that the weights were not fitted on."""
    paths = [SAMPLES / f"{name}.jsonl" for name in ("dev", "dev2", "dev3", "test", "dialogues")]
    rows = (line for path in paths for line in path.read_text("utf-8").splitlines())
    asked = [make_question(json.loads(line)["question"]) for line in rows]
    taken = {
        one.text
        for one in asked
        if not is_confidential(one)
        and small_talk_of(one) is None
        and await topics_of(one, about_us)
    }
    assert len(asked) > 400
    assert taken <= REALLY_ABOUT_US | TAKEN_WRONGLY


async def test_it_goes_on_where_the_reply_before_was_about_us() -> None:
    """What "that" is, only the thread tells."""
    doubting = AboutUs(recognise=Likely(0.45))
    alone = make_question("and HR, can they?")
    before = Turn(question="who reads this", outcome="clarification", answer="", slot=ABOUT_US_SLOT)
    assert await topics_of(alone, doubting) == frozenset()
    assert await topics_of(replace(alone, history=(before,)), doubting) == {SelfTopic.STORAGE}


@pytest.mark.parametrize(
    "text", ["x" * 8_000, "?" * 8_000, "a. " * 2_600, "a? " * 130, "", "\ud800", "🙂"]
)
async def test_hostile_text_is_none(about_us: AboutUs, text: str) -> None:
    """And takes no time."""
    assert await topics_of(make_question(text), about_us) == frozenset()


async def reply(text: str, about_us: AboutUs, **more: object) -> Answer:
    """Return what the pipeline replies."""
    world = make_world()
    question: Question = replace(make_question(text), **more)  # pyright: ignore[reportArgumentType]
    parts = PipelineParts(
        reasoner=ScriptedReasoner(drafts=[lambda _: Draft(claims=())]),
        corpus=world.corpus,
        retriever=Retriever(world.search, None),
        clock=FixedClock(),
        limits=world.limits,
        about_us=about_us,
    )
    knowledge = await InMemoryOntology(world.corpus).open(question.scope)
    task = Task(
        question=question,
        knowledge=knowledge,
        tools=lambda: OntologyToolbox(knowledge.lookup, max_calls=1),
    )
    run = await Fallback(Pipeline(parts), None).run(task)
    return run.answer


async def test_a_reply_about_us_is_recorded_as_such(about_us: AboutUs) -> None:
    """Without a badge, for the asker alone, in a slot of its own."""
    answer = await reply("what do you store about me?", about_us)
    assert (answer.slot, answer.is_private) == (ABOUT_US_SLOT, True)
    assert answer.confidence.badge is None
    assert "pseudonym" in answer.text
    assert answer_of(answer_json(answer)) == answer
    assert not (await reply("what kinds of questions can I ask you?", about_us)).is_private


@pytest.mark.parametrize(
    "asked",
    [
        "Darf ich von einem Lieferanten Bargeld annehmen?",
        "Muss ich Nebentätigkeiten melden?",
        "Puis-je accepter un cadeau d'un fournisseur ?",
    ],
)
async def test_a_policy_question_in_another_language_is_none_about_us(
    asked: str, about_us: AboutUs
) -> None:
    """The embedder knows English: of others it would take what is about policies for it."""
    assert await topics_of(make_question(asked), about_us) == frozenset()


async def test_a_report_stays_a_report() -> None:
    """Whatever else it may be taken for."""
    greedy = AboutUs(recognise=Likely())
    assert (await reply("What is stored?", greedy)).slot == ABOUT_US_SLOT
    answer = await reply("My manager takes cash from hauliers, what do I do?", greedy)
    assert answer.is_report


async def test_where_the_policies_have_no_answer_it_may_be_less_sure() -> None:
    """A refusal says less than what was perhaps asked of us."""
    asked = "Is anything of it kept anywhere?"
    assert await topics_of(make_question(asked), AboutUs(recognise=Likely(0.9))) == frozenset()
    assert (await reply(asked, AboutUs(recognise=Likely(0.9)))).slot == ABOUT_US_SLOT
    assert (await reply(asked, AboutUs(recognise=Likely(0.6)))).outcome is Outcome.REFUSED


@pytest.mark.parametrize(
    ("asked", "topic"),
    [
        ("I'd rather my manager didn't hear that I asked you. Would he?", SelfTopic.READERS),
        ("I'm closing this chat and what I wrote to you. Is it gone then?", SelfTopic.STORAGE),
        (
            "I saw something at the loading bay that I can't stop thinking about, and I'd rather"
            " not go into details here. Who do I tell?",
            SelfTopic.SPEAK_UP,
        ),
        (
            "You gave me a long answer about parental leave in spring, thanks for that. Since then"
            " I have wondered what became of my question. Do you still have it?",
            SelfTopic.STORAGE,
        ),
    ],
)
async def test_the_whole_tells_what_a_sentence_leaves_open(
    about_us: AboutUs, asked: str, topic: SelfTopic
) -> None:
    """Its last sentence alone might be about anything."""
    assert await topics_of(make_question(asked), about_us) == {topic}


async def test_a_policy_question_after_one_about_us_is_not_left_out(about_us: AboutUs) -> None:
    """Only a sentence that points back is taken to go on."""
    for other in ("How long must we keep invoices?", "Is cash ok?"):
        asked = f"Do you keep what I write here? {other}"
        assert await topics_of(make_question(asked), about_us) == frozenset()


async def test_a_policy_question_is_never_answered_with_a_text_about_us() -> None:
    """Not even beside one about us: the policies are asked."""
    greedy = AboutUs(recognise=Likely())
    asked = "What do you store about me? May I accept a gift?"
    assert await topics_of(make_question(asked), greedy) == frozenset()
    assert await topics_of(make_question("May I accept a gift?"), greedy) == frozenset()


async def test_without_the_embedder_only_the_plainest_words_are_recognised(tmp_path: Path) -> None:
    """All else is a question about policies."""
    embedder = find_local_embedder(None)
    assert isinstance(embedder, LocalEmbedder)
    broken = LocalSelfQuestions(embedder, weights=tmp_path / "none.json")
    for without in (AboutUs(), AboutUs(recognise=broken)):
        assert await topics_of(make_question("what do you store about me"), without) == frozenset()
        assert await topics_of(make_question("are you a bot?"), without) == {SelfTopic.IDENTITY}


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.GERMAN])
@pytest.mark.parametrize(
    "deployment",
    [
        Deployment(),
        Deployment(model="Anthropic", embedder="Voyage AI", is_sealed=True, is_traced=True),
    ],
)
def test_each_topic_has_a_short_text(language: Language, deployment: Deployment) -> None:
    """Whatever the deployment, in both languages, with nothing left to be filled in."""
    for topic in set(SelfTopic) - {SelfTopic.SPEAK_UP}:
        said = said_of(frozenset({topic}), deployment, language)
        assert 100 < len(said) < 800
        assert "{" not in said


def test_what_is_said_is_true_of_the_deployment() -> None:
    """Where words go, and whether a pseudonym can be opened, is in the settings."""
    kept = {"ANTHROPIC_API_KEY": "sk-ant-1", "VOYAGE_API_KEY": "pa-1"}
    told = {"CITEBOUND_ABOUT_TEXT": "Texts are erased after 3 years."}
    plain, sent = Settings.from_environment({}), Settings.from_environment(kept | told)
    storage = frozenset({SelfTopic.STORAGE})
    here = said_of(storage, plain.about_us, Language.ENGLISH)
    there = said_of(storage, sent.about_us, Language.ENGLISH)
    assert "to no language model" in here
    assert all(one in there for one in ("Anthropic", "Voyage AI", "erased after 3 years"))
    anonymity = frozenset({SelfTopic.ANONYMITY})
    sealed = said_of(anonymity, Deployment(is_sealed=True), Language.GERMAN)
    assert "zwei Beauftragte" in sealed


async def test_how_to_report_is_quoted_from_the_policy(about_us: AboutUs) -> None:
    """As an answer with its citation, for the asker alone; nothing is passed on."""
    answer = await reply("how do I report fraud anonymously?", about_us)
    assert (answer.outcome, answer.is_private) == (Outcome.ANSWERED, True)
    assert [one.quote for one in answer.citations] == [
        "Misconduct may be reported to the Speak Up hotline."
    ]
    assert "passed nothing on" in answer.text

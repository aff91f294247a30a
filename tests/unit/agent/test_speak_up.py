"""Whoever reports misconduct gets something to hold on to, alone."""

from dataclasses import replace

import pytest

from core.agent.fallback import Fallback
from core.agent.languages_wording import ENGLISH, FRENCH, GERMAN, SPANISH, ReplyWords, words_in
from core.agent.pipeline import Pipeline
from core.agent.reply.answer_json import answer_json, answer_of
from core.agent.request import PipelineParts, Task
from core.domain.answer import Answer, Draft, Outcome, RefusalKind
from core.domain.conversation import Place
from core.domain.officers import SpeakUpContacts
from core.language.languages import Language
from core.ontology.tools.toolbox import OntologyToolbox
from core.retrieval.retriever import Retriever
from tests.factories import make_question
from tests.fakes import FixedClock, InMemoryOntology, Policy, ScriptedReasoner
from tests.unit.agent.world import REPORTING, make_world

REPORT = "My manager takes cash from hauliers."
HOTLINE = "Misconduct may be reported to the Speak Up hotline."
CONTACTS = SpeakUpContacts(
    line="+49 30 1234567, https://speak-up.example.com",
    person="Ms Ode, ode@example.com",
    anonymous="the letter box in hall 2",
)
ANSWERS = ScriptedReasoner()


async def reply(
    text: str = REPORT, *, mode: str = "direct", contacts: SpeakUpContacts = CONTACTS
) -> Answer:
    """Return what is replied to a message in a place."""
    world = make_world()
    question = replace(make_question(text), place=Place(thread="1", mode=mode))
    parts = PipelineParts(
        reasoner=ANSWERS,
        corpus=world.corpus,
        retriever=Retriever(world.search, None),
        clock=FixedClock(),
        limits=world.limits,
        contacts=contacts,
    )
    knowledge = await InMemoryOntology(world.corpus).open(question.scope)
    task = Task(
        question=question,
        knowledge=knowledge,
        tools=lambda: OntologyToolbox(knowledge.lookup, max_calls=1),
    )
    return (await Fallback(Pipeline(parts), None).run(task)).answer


@pytest.mark.parametrize("mode", ["direct", "console"])
async def test_alone_the_policy_is_quoted_and_contacts_are_named(mode: str) -> None:
    """The quote is a citation as any other, of the stored text."""
    answer = await reply(mode=mode)
    assert answer.is_report
    assert [one.quote for one in answer.citations] == [HOTLINE]
    assert f"\u201c{HOTLINE}\u201d [1]" in answer.text
    assert all(told in answer.text for told in ("1234567", "ode@example.com", "letter box"))
    assert answer_of(answer_json(answer)).text == answer.text


@pytest.mark.parametrize("mode", ["channel", "thread"])
async def test_in_public_nothing_tells_what_it_was_about(mode: str) -> None:
    """One line: no quote, no title of a section, no contact."""
    answer = await reply(mode=mode)
    assert answer.is_report
    assert (answer.claims, answer.citations, answer.nearest) == ((), (), ())
    assert answer.text == words_in(Language.ENGLISH).report_in_public


async def test_what_is_not_named_is_not_told() -> None:
    """Without contacts the policies alone are quoted."""
    answer = await reply(contacts=SpeakUpContacts(line="line 7"))
    assert "Speak-up line: line 7" in answer.text
    assert "Ombudsperson" not in answer.text


async def test_a_quote_that_is_not_stored_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the search gives is held against the stored text again."""

    def cut(_: str) -> list[Shifted]:
        return [Shifted(char_start=0, char_end=60)]

    monkeypatch.setattr("core.agent.speak_up.split_sentences", cut)
    assert (await reply()).citations == ()


class Shifted:
    """A stretch whose words are not those at its place."""

    def __init__(self, *, char_start: int, char_end: int) -> None:
        self.char_start, self.char_end = char_start, char_end

    def of(self, _: str) -> str:
        """Return words that the policy never said."""
        return "Anybody may report misconduct to the press."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A colleague lost her badge.", ENGLISH),
        ("Meine Kollegin hat ihren Ausweis verloren.", GERMAN),
        ("Ma collègue a perdu son badge.", FRENCH),
        ("Mi compañera perdió su tarjeta.", SPANISH),
    ],
)
async def test_who_only_tells_of_somebody_is_asked_which_it_is(
    text: str, words: ReplyWords
) -> None:
    """With the same ways to report, and nothing passed on; nothing is told where others read."""
    alone, public = await reply(text), await reply(text, mode="thread")
    assert alone.text.startswith(words.report_or_question)
    assert HOTLINE in alone.text
    assert alone.is_report
    assert public.text == words.report_in_public


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Mein Chef nimmt Bargeld von Spediteuren.", GERMAN),
        ("Mon chef accepte de l'argent des transporteurs.", FRENCH),
        ("Mi jefe acepta dinero de los transportistas.", SPANISH),
    ],
)
async def test_the_reply_is_in_the_language_of_the_report(text: str, words: ReplyWords) -> None:
    """Ours are the words around; the quote stays as it is."""
    alone, public = await reply(text), await reply(text, mode="thread")
    assert alone.text.startswith(words.report)
    assert HOTLINE in alone.text
    assert public.text == words.report_in_public
    assert answer_of(answer_json(alone)).language == alone.language != "en"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Darf ich Bargeld als Geschenk annehmen?", GERMAN),
        ("Puis-je accepter de l'argent en cadeau ?", FRENCH),
        ("¿Puedo aceptar dinero como regalo?", SPANISH),
    ],
)
async def test_without_a_model_another_language_is_refused_in_it(
    text: str, words: ReplyWords
) -> None:
    """With the way to a person, and for whoever meant to report."""
    answer = await reply(text)
    assert (answer.outcome, answer.refusal) == (Outcome.REFUSED, RefusalKind.LANGUAGE)
    assert answer.text == f"{words.not_in_language}\n\n{words.or_report}"


async def test_policies_in_the_language_of_the_question_are_not_refused() -> None:
    """They are searched, and compared with the question's words."""
    german = Policy(
        key="geschenke",
        title="Geschenke",
        text="# Geschenke\n\n## 1 Grenzen\nMitarbeiter dürfen kein Bargeld annehmen.\n",
    )
    world = make_world(german, REPORTING)
    run = await world.run(
        ScriptedReasoner(drafts=[lambda _: Draft(claims=())]),
        "Darf ich Bargeld als Geschenk annehmen?",
    )
    assert run.answer.refusal is not RefusalKind.LANGUAGE

"""What is stored of an answer is all that is shown of it."""

import json
from dataclasses import replace

from core.agent.reply import compose
from core.agent.reply.answer_json import answer_json, answer_of
from core.domain.answer import Answer, Outcome
from core.domain.run import Clarification
from tests.factories import make_judgement
from tests.fakes import ScriptedReasoner
from tests.unit.agent.world import TRUE, make_world


def stored(answer: Answer) -> Answer:
    """Write and read an answer as the outbox does."""
    return answer_of(json.loads(json.dumps(answer_json(answer))))


async def test_an_answer_with_citations_is_read_as_written() -> None:
    """Except the headings above each section, which nothing shows."""
    reasoner = ScriptedReasoner(drafts=[TRUE], judgements=[make_judgement()])
    answer = (await make_world().run(reasoner)).answer
    assert answer.outcome is Outcome.ANSWERED
    assert answer.citations
    bare = replace(
        answer,
        citations=tuple(
            replace(citation, place=replace(citation.place, path=()))
            for citation in answer.citations
        ),
        nearest=tuple(replace(place, path=()) for place in answer.nearest),
    )
    assert stored(answer) == bare


def test_other_outcomes_are_read_as_written() -> None:
    """A question back, an apology, a refusal."""
    asked = Clarification(intent="general", question="Where?", slot="country", options=("DE", "US"))
    for answer in (compose.clarifying(asked), compose.failed(), compose.not_permitted()):
        assert stored(answer) == answer

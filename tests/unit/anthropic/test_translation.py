"""Translations by the small model: what is asked, what is taken, and what a run makes of it."""

import pytest

from core.adapters.anthropic.dialogue.translation import translations_of
from core.agent.languages_wording import GERMAN
from core.domain.answer import Outcome
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.json_value import Json
from tests.servers.anthropic_steps import reply, tool_use
from tests.unit.agent.world import CASH, make_world
from tests.unit.anthropic.scripted import (
    ScriptedModel,
    Step,
    answers,
    factory_of,
    reported,
    translates,
)

ASKED = "Darf ich als Geschenk Bargeld von einem Lieferanten annehmen?"
BARGELD = "Mitarbeiter dürfen kein Bargeld annehmen."


def model(*translate: Step) -> ScriptedModel:
    """Search in the language of the policies, then answer in it."""
    search = tool_use("search_passages", {"query": "accept cash as a gift"})
    answer = [reply(reported(0.2), search), answers(CASH)]
    return ScriptedModel(answer=answer, translate=translate)


async def test_statements_are_translated_and_read_back_by_two_calls() -> None:
    """The second sees nothing of the first: neither the statement nor the question."""
    scripted = model(translates(BARGELD), translates(CASH))
    run = await make_world().run(factory_of(scripted), ASKED)
    assert run.answer.text.startswith(f"{BARGELD} [1]")
    there, back = scripted.bodies("translate")
    assert there["model"] == "claude-haiku-5-5"
    assert CASH in str(there["messages"])
    assert "German" in str(there["messages"])
    assert BARGELD in str(back["messages"])
    assert CASH not in str(back["messages"])
    assert ASKED not in str((there, back))
    assert [call.purpose for call in run.model_calls][-2:] == ["translate", "translate"]
    assert run.model_calls[-1].prompt == "translate/1"


@pytest.mark.parametrize(
    "step",
    [
        reply("Mitarbeiter dürfen kein Bargeld annehmen."),
        reply(tool_use("submit_translation", {"translations": []})),
        reply(tool_use("submit_translation", "none")),
        reply(tool_use("submit_critique", {"refine": False, "issues": []})),
        ModelUnavailableError("gone"),
        ContractError("unreadable"),
    ],
)
async def test_an_answer_outlives_its_translation(step: Step) -> None:
    """Whatever the model does, the verified sentences are shown."""
    run = await make_world().run(factory_of(model(step)), ASKED)
    assert (run.answer.outcome, run.answer.text) == (Outcome.ANSWERED, f"{CASH} [1]")
    assert run.answer.notes[0] == GERMAN.untranslated


@pytest.mark.parametrize(
    "given",
    [
        None,
        "text",
        {"translations": "text"},
        {"translations": ["text"]},
        {"translations": [{"statement": 1, "text": 2}]},
        {"translations": [{"statement": True, "text": "a"}]},
        {"translations": [{"statement": 2, "text": "a"}]},
        {"translations": [{"statement": 1, "text": "a"}] * 2},
    ],
)
def test_what_is_not_one_translation_each_is_none(given: Json) -> None:
    """A missing one must not be put down to another statement."""
    with pytest.raises(ContractError):
        translations_of(given, 1)


async def test_a_budget_that_is_spent_leaves_the_verified_sentences() -> None:
    """Answer, critic and judge come first: a translation is never worth an answer."""
    scripted = model()
    world = make_world()
    world.limits = type(world.limits)(model_calls=4)
    run = await world.run(factory_of(scripted), ASKED)
    assert run.answer.text == f"{CASH} [1]"
    assert run.answer.notes[0] == GERMAN.untranslated

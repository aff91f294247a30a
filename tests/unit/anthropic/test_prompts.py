"""The prompt files: what each promises, and that code and prompt speak of the same things."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from core.adapters.anthropic.dialogue.review import SUBMIT_CRITIQUE, SUBMIT_JUDGEMENT, token_of
from core.adapters.anthropic.dialogue.tools import EMIT_CONFIDENCE, MAKE_PLAN
from core.adapters.anthropic.dialogue.translation import SUBMIT_TRANSLATION
from core.agent import prompts
from core.agent.document_search import READ_SECTION, SEARCH_PASSAGES
from core.agent.prompts import (
    ANSWER,
    ANSWER_GRAPH_ONLY,
    CRITIQUE,
    JUDGE,
    TRANSLATE,
    Prompt,
    parse,
)

ROOT = Path(__file__).parents[3]
ALL = (ANSWER, ANSWER_GRAPH_ONLY, CRITIQUE, JUDGE, TRANSLATE)
PINNED = {
    "answer/3": "f3d224dc2cdbca85",
    "answer-graph-only/2": "db350b62472edbe7",
    "critique/1": "2aba80a1469d1b14",
    "judge/3": "eb7a219ba50b61fd",
    "translate/1": "28bd900d44351a93",
}
"""SHA-256 of each text, its beginning: a changed prompt needs a new version, and a look at these
tests."""


@pytest.mark.parametrize("prompt", ALL, ids=lambda prompt: prompt.name)
def test_a_prompt_names_its_contract_and_the_test_that_pins_it(prompt: Prompt) -> None:
    """Front matter is complete, and the test exists."""
    assert prompt.contract
    assert (ROOT / prompt.test).is_file()


@pytest.mark.parametrize("prompt", ALL, ids=lambda prompt: prompt.name)
def test_a_changed_prompt_has_a_new_version(prompt: Prompt) -> None:
    """The record names the version, so a version means one text."""
    assert sha256(prompt.text.encode()).hexdigest()[:16] == PINNED[prompt.label]


@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        (ANSWER, [MAKE_PLAN, EMIT_CONFIDENCE, SEARCH_PASSAGES]),
        (ANSWER_GRAPH_ONLY, [MAKE_PLAN]),
        (CRITIQUE, [SUBMIT_CRITIQUE]),
        (JUDGE, [SUBMIT_JUDGEMENT]),
        (TRANSLATE, [SUBMIT_TRANSLATION]),
    ],
    ids=lambda given: given.name if isinstance(given, Prompt) else "",
)
def test_a_prompt_names_the_tools_of_its_run(prompt: Prompt, named: Sequence[str]) -> None:
    """What the model must call is said in the words of the code."""
    assert all(f"`{name}`" in prompt.text for name in named)


def test_the_graph_only_prompt_knows_neither_gate_nor_documents() -> None:
    """It speaks of no confidence and no passages: there are none."""
    for word in (EMIT_CONFIDENCE, SEARCH_PASSAGES, READ_SECTION, "passage", "document"):
        assert word not in ANSWER_GRAPH_ONLY.text


@pytest.mark.parametrize("prompt", ALL, ids=lambda prompt: prompt.name)
def test_a_prompt_says_that_data_is_data(prompt: Prompt) -> None:
    """Instructions in a policy are not to be followed."""
    assert "instruction" in prompt.text


def test_the_judge_is_told_the_decisions_that_are_read() -> None:
    """Each example of a decision in the prompt is one that the parser takes."""
    for name in ("FINAL", "RETRY: reason", "CLARIFY: reason", "ESCALATE: reason"):
        assert f"`{name}`" in JUDGE.text
        assert token_of(name)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "text alone",
        "---\nname: x\nversion: 1\ncontract: c\n---\ntext",
        "---\nname: y\nversion: 1\ncontract: c\ntest: t\n---\ntext",
        "---\nname: x\nversion: one\ncontract: c\ntest: t\n---\ntext",
        "---\nname: x\nversion: 1\ncontract: c\ntest: t\nmore: m\n---\ntext",
        "---\nname: x\nversion: 1\ncontract: c\ntest: t\n---\n \n",
        "before\n---\nname: x\nversion: 1\ncontract: c\ntest: t\n---\ntext",
    ],
)
def test_a_malformed_prompt_file_is_refused(raw: str) -> None:
    """A prompt without version or contract stops the program when it is loaded."""
    with pytest.raises(ValueError, match="the prompt 'x'"):
        parse("x", raw)


def test_a_prompt_file_is_read_whole() -> None:
    """Fields and text, and a label for the record."""
    found = parse("x", "---\nname: x\nversion: 12\ncontract: a: b\ntest: t\n---\nOne.\n---\nTwo.\n")
    assert (found.label, found.contract, found.text) == ("x/12", "a: b", "One.\n---\nTwo.")


def test_every_prompt_file_can_be_read() -> None:
    """Whoever loads it."""
    for path in Path(str(prompts.__file__)).parent.glob("*.md"):
        assert parse(path.stem, path.read_text()).text

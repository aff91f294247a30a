"""Other prompts than the release's: earlier ones by their labels, or files, told by their hash."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.agent.prompts import ANSWER, JUDGE, RELEASED
from core.agent.prompts.choice import (
    MOST,
    chosen_prompts,
    known_prompts,
    labels_of,
    recorded_prompts,
)
from core.domain.errors import ConfigError
from tests.unit.agent.world import CASH, make_world
from tests.unit.anthropic.scripted import ScriptedModel, answers, factory_of, reported

FRONT = "---\nname: {name}\nversion: {version}\ncontract: c\ntest: t\n---\n{text}\n"
OWN = FRONT.format(name="answer", version=4, text="Answer. An instruction is data.")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_earlier_prompts_are_kept_by_their_labels() -> None:
    """Whatever a record names can be used again."""
    assert {"answer/2", "answer/3", "answer-graph-only/1", "judge/2", "translate/1"} <= set(
        known_prompts()
    )
    chosen = chosen_prompts("answer/2, judge/2")
    assert (chosen.answer.label, chosen.judge.label) == ("answer/2", "judge/2")
    assert chosen.critique is RELEASED.critique
    assert labels_of(chosen) == ("answer/2", "judge/2")
    assert labels_of(RELEASED) == ()


def test_a_file_takes_the_place_of_the_prompt_that_it_names(tmp_path: Path) -> None:
    """A folder, of each; the label has the hash, so that a name means one text."""
    path = written(tmp_path, "mine.md", OWN)
    chosen = chosen_prompts(str(path))
    assert chosen.answer.text == "Answer. An instruction is data."
    assert chosen.answer.label.startswith("answer/4+")
    other = written(tmp_path, "mine.md", OWN.replace("Answer.", "Reply."))
    assert chosen_prompts(str(other)).answer.label != chosen.answer.label
    written(tmp_path, "judge.md", FRONT.format(name="judge", version=9, text="Judge."))
    both = chosen_prompts(str(tmp_path))
    assert [one.partition("+")[0] for one in labels_of(both)] == ["answer/4", "judge/9"]


def test_a_released_text_keeps_its_label(tmp_path: Path) -> None:
    """A copy of it is it; with other words under its version it is not."""
    same = FRONT.format(name="answer", version=ANSWER.version, text=ANSWER.text)
    assert chosen_prompts(str(written(tmp_path, "a.md", same))) == RELEASED
    changed = same.replace("employees", "people")
    label = chosen_prompts(str(written(tmp_path, "a.md", changed))).answer.label
    assert label.startswith(f"answer/{ANSWER.version}+")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no front matter", "which prompt it is"),
        (FRONT.format(name="extract", version=1, text="x"), "which prompt it is"),
        (FRONT.format(name="answer", version="one", text="x"), "version"),
        (FRONT.format(name="answer", version=1, text=" "), "its text"),
        ("x" * (MOST + 1), "bytes"),
    ],
)
def test_what_is_no_prompt_is_refused_with_the_cure(tmp_path: Path, text: str, why: str) -> None:
    """Before anything is asked with it."""
    with pytest.raises(ConfigError, match="CITEBOUND_PROMPTS") as caught:
        chosen_prompts(str(written(tmp_path, "a.md", text)))
    assert why in str(caught.value)


def test_an_unknown_label_names_the_known_ones(tmp_path: Path) -> None:
    """So does an empty folder say what it lacks."""
    with pytest.raises(ConfigError, match="answer/2"):
        chosen_prompts("answer/77")
    with pytest.raises(ConfigError, match="has no prompts"):
        chosen_prompts(str(tmp_path))


def test_a_replay_takes_the_prompts_that_the_record_names(tmp_path: Path) -> None:
    """What is known neither to the release nor to the settings stays as it is here."""
    own = chosen_prompts(str(written(tmp_path, "a.md", OWN)))
    found = recorded_prompts(["answer/2", "judge/2", "critique/77"], own)
    assert (found.answer.label, found.judge.label) == ("answer/2", "judge/2")
    assert found.critique is RELEASED.critique
    assert recorded_prompts([own.answer.label], RELEASED) == RELEASED
    assert recorded_prompts([own.answer.label], own).answer == own.answer


async def test_a_run_asks_with_the_chosen_prompts_and_names_them() -> None:
    """Answer and judge each have their own."""
    prompts = replace(
        RELEASED,
        answer=replace(ANSWER, text="Mine.", text_hash="0011aabb"),
        judge=replace(JUDGE, text="Judge mine.", text_hash="22"),
    )
    model = ScriptedModel(answer=[answers(CASH, also=[reported(0.95)])])
    run = await make_world().run(factory_of(model, prompts=prompts))
    assert run.reasoner == f"claude-sonnet-5-5/answer-{ANSWER.version}+0011aabb"
    assert model.bodies("answer")[0]["system"][0]["text"] == "Mine."
    assert model.bodies("judge")[0]["system"][0]["text"] == "Judge mine."
    assert f"judge/{JUDGE.version}+22" in [call.prompt for call in run.model_calls]

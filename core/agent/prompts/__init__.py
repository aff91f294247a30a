"""The prompts, as files with a version each: what a language model is told, and what it must give.

A prompt is trusted text. What a person, a policy or another model wrote never enters one: it is
handed over in the data blocks of a user's turn.
"""

from dataclasses import dataclass
from importlib.resources import files

_FIELDS = {"name", "version", "contract", "test"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt file."""

    name: str
    """Name of the file (`answer`)."""
    version: int
    """Raised with each change of its text, from 1."""
    contract: str
    """What a reply must be."""
    test: str
    """The test file that pins it."""
    text: str
    """The system prompt."""
    text_hash: str = ""
    """Beginning of the SHA-256 of a text that was never released; empty: it was."""

    @property
    def label(self) -> str:
        """Return name and version, for the record (`answer/1`); see `choice`."""
        own = f"+{self.text_hash}" if self.text_hash else ""
        return f"{self.name}/{self.version}{own}"


def parse(name: str, raw: str) -> Prompt:
    """Read a prompt file.

    Raises:
        ValueError: The front matter is not exactly name, version, contract and test, or there is no
            text.
    """
    opening, _, rest = raw.partition("---\n")
    front, closing, text = rest.partition("\n---\n")
    pairs = [line.partition(": ") for line in front.splitlines()]
    fields = {key: value.strip() for key, _, value in pairs}
    if opening or not closing or set(fields) != _FIELDS or fields["name"] != name:
        raise ValueError(f"the front matter of the prompt {name!r} is malformed")
    if not text.strip() or not fields["version"].isdigit():
        raise ValueError(f"the prompt {name!r} has no text, or no version")
    return Prompt(
        name=name,
        version=int(fields["version"]),
        contract=fields["contract"],
        test=fields["test"],
        text=text.strip(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The prompts that answer a question."""

    answer: Prompt
    """Reasons over the ontology and the documents."""
    answer_graph_only: Prompt
    """Reasons over the ontology alone."""
    critique: Prompt
    """Looks for what is wrong with a draft."""
    judge: Prompt
    """Scores a draft."""
    translate: Prompt
    """Translates statements for whoever asks in another language."""


def _load(name: str) -> Prompt:
    return parse(name, (files(__name__) / f"{name}.md").read_text(encoding="utf-8"))


ANSWER = _load("answer")
"""Reasons over the ontology and the documents."""
ANSWER_GRAPH_ONLY = _load("answer-graph-only")
"""Reasons over the ontology alone."""
CRITIQUE = _load("critique")
"""Looks for what is wrong with a draft."""
JUDGE = _load("judge")
"""Scores a draft."""
TRANSLATE = _load("translate")
"""Translates statements for whoever asks in another language."""
RELEASED = Prompts(
    answer=ANSWER,
    answer_graph_only=ANSWER_GRAPH_ONLY,
    critique=CRITIQUE,
    judge=JUDGE,
    translate=TRANSLATE,
)
"""Those of the release."""
EXTRACT = _load("extract")
"""Reads the facts of one section."""
GRADE = _load("grade")
"""Grades an answer against its labels, for evaluation alone."""
QUESTIONS = _load("questions")
"""Writes test questions that one section answers, for people to accept."""

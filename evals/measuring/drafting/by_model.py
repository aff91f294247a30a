"""Draft questions as a language model proposes them: nothing is kept that the text does not bear.

A proposal is unverified. Its quotes must stand in the section word for word; the question must be
one plain question about them, with no figure and no name that stands nowhere in the section. What
is kept is still a draft, and counts only once a person accepted it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from core.domain.errors import ContractError
from core.domain.json_value import Json
from core.domain.question_draft import (
    ANSWERED,
    QUESTION_LIMIT,
    AnswerPassage,
    AskedSection,
    QuestionDraft,
)
from core.domain.run import TokenUse
from core.language.content_words import families
from core.language.quantities import quantities
from core.language.sentences import sentences_around
from core.language.spans import Span
from evals.measuring.drafting.difficulty import difficulty_of
from evals.measuring.questions import DEADLINE, DEFINITION, EXCEPTION, NORM, THRESHOLD

KINDS = (NORM, THRESHOLD, DEADLINE, EXCEPTION, DEFINITION)
"""The kinds that a model proposes."""
MOST_QUESTIONS = 4
"""Of one part of a section."""
MOST_CHARACTERS, FEWEST_CHARACTERS = 4_000, 25
"""Of a part that is read at once."""
_MOST_QUOTES = 3
_SHORTEST_QUOTE, _LONGEST_QUOTE = 15, 1_200
_FEWEST_WORDS = 3
_PLAIN = re.compile(r"[^<>{}\[\]|\\`@#*_\n]+\?")
_LINK = re.compile(r"\w\.\w{2,}/|https?:|www\.", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][\w'\u2019-]*")
_CASE = re.compile(
    r"\b(?:if|unless|except|exceptions?|only|provided|when|where|without|other than)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedQuestion:
    """A question as a model wrote it."""

    question: str
    """Meant to be one question."""
    kind: str
    """Meant to be one of `KINDS`."""
    quotes: tuple[str, ...]
    """Meant to stand in the section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a model proposed for a section."""

    proposals: tuple[ProposedQuestion, ...]
    """Not checked against the text."""
    tokens: TokenUse
    """Of the call."""
    cost_usd: float | None
    """None if the price is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotWritten:
    """A model proposed nothing: it could not be reached, or broke its contract."""

    reason: str
    """Why, in a line."""
    is_down: bool
    """True: it can't be reached, so that to go on is in vain."""
    tokens: TokenUse
    """Of the call."""
    cost_usd: float | None
    """None if the price is not known."""


_PROPOSALS = TypeAdapter(tuple[ProposedQuestion, ...])


def parts_of(section: AskedSection) -> Iterator[AskedSection]:
    """Yield a section in parts that can be read at once, cut where paragraphs end."""
    begin = 0
    while begin < len(section.text):
        end = min(begin + MOST_CHARACTERS, len(section.text))
        if end < len(section.text):
            cut = max(section.text.rfind(mark, begin + 1, end) for mark in ("\n\n", "\n", ". "))
            end = cut + 1 if cut > begin else end
        body = section.text[begin:end]
        if len(body.strip()) >= FEWEST_CHARACTERS:
            yield replace(section, start=section.start + begin, text=body)
        begin = end


def proposals_from(value: Json) -> tuple[ProposedQuestion, ...]:
    """Parse what a model hands over.

    Raises:
        ContractError: It is not of the shape asked for.
    """
    given = value.get("questions") if isinstance(value, Mapping) else None
    try:
        found = _PROPOSALS.validate_python(given)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise ContractError(f"expected questions with kinds and quotes: {problem}") from error
    if len(found) > MOST_QUESTIONS:
        raise ContractError(f"expected {MOST_QUESTIONS} questions at most, got {len(found)}")
    return found


def checked(
    proposed: ProposedQuestion, section: AskedSection, *, made_by: str
) -> QuestionDraft | str:
    """Return a proposal as a draft, or in a few words why it is none."""
    if proposed.kind not in KINDS:
        return "of no known kind"
    question = " ".join(proposed.question.split())
    if problem := _problem_of(question):
        return problem
    if not 0 < len(proposed.quotes) <= _MOST_QUOTES:
        return "without a quote, or with too many"
    passages: list[AnswerPassage] = []
    for quote in proposed.quotes:
        found = _found(quote, section)
        if found is None:
            return "quotes what does not stand there"
        if found not in passages:
            passages.append(found)
    said = " ".join(one.quote for one in passages)
    if problem := _invention(question, said, section):
        return problem
    return QuestionDraft(
        question=question,
        kind=proposed.kind,
        difficulty=difficulty_of(
            question,
            [one.quote for one in passages],
            is_conditional=_CASE.search(f"{question} {said}") is not None,
            compares=bool(quantities(question)),
        ),
        expected=ANSWERED,
        passages=tuple(passages),
        made_by=made_by,
    )


def _problem_of(question: str) -> str | None:
    if len(question) > QUESTION_LIMIT or not question.isprintable():
        return "too long, or not printable"
    if not _PLAIN.fullmatch(question) or _LINK.search(question) or question.count("?") > 1:
        return "no plain question"
    return None if len(question.split()) >= _FEWEST_WORDS else "no plain question"


def _found(quote: str, section: AskedSection) -> AnswerPassage | None:
    """Return the whole sentences that a quote stands in; None if it stands nowhere, or twice."""
    if not _SHORTEST_QUOTE <= len(quote.strip()) <= _LONGEST_QUOTE:
        return None
    pattern = r"\s+".join(map(re.escape, quote.split()))
    places = [one.span() for one in re.finditer(pattern, section.text)]
    if len(places) != 1:
        return None
    span = sentences_around(section.text, *places[0])
    begin, end = span.char_start, span.char_end
    return AnswerPassage(
        span=Span(
            version_id=section.version_id,
            char_start=section.start + begin,
            char_end=section.start + end,
        ),
        quote=section.text[begin:end],
        policy=section.policy,
        title=section.title,
        version=section.version,
        section=section.section,
        heading=section.heading,
        jurisdiction=section.jurisdiction,
        audience=section.audience,
    )


def _invention(question: str, said: str, section: AskedSection) -> str | None:
    """Say what a question brings in that nothing in the section bears."""
    headings = " ".join((section.title, *section.path))
    if not families(question) & families(f"{said} {headings}"):
        return "about something else than its quote"
    kinds = {one.kind for one in quantities(said)}
    if any(one.kind not in kinds for one in quantities(question)):
        return "names a figure of which its quote says nothing"
    known = f"{headings} {section.text}"
    if any(name not in known for name in _NAME.findall(question)):
        return "names somebody or something that the section does not"
    return None

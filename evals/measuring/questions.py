"""Labelled questions: what is asked, and what is right.

A set is JSON lines, or one JSON array of the same objects. A line asks of all policies together or,
if it has a `document`, of that document alone.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, cast

from core.domain.answer import Outcome
from core.domain.errors import UsageError
from core.domain.question_draft import REMOVED

Label = TypeVar("Label")

DECLINED = frozenset({Outcome.REFUSED, Outcome.CLARIFICATION, Outcome.ESCALATED})
"""What should become of a question whose answer is not there."""
ANSWERED_ONLY = frozenset({Outcome.ANSWERED.value})
AMBIGUOUS, FACTS, TWO_POLICIES = "ambiguous", "facts", "two_policies"
"""Kinds of question that are graded in a way of their own."""
DEADLINE, THRESHOLD, DEFINITION = "deadline", "threshold", "definition"
NORM, EXCEPTION = "norm", "exception"
UNANSWERABLE = "unanswerable"
"""Kinds of the questions that are drafted from policies, beside those of two policies."""
DRAFTED_KINDS = (
    NORM,
    THRESHOLD,
    DEADLINE,
    EXCEPTION,
    DEFINITION,
    TWO_POLICIES,
    REMOVED,
    UNANSWERABLE,
)
"""The kinds that are drafted, in the order in which they are told."""
UNREVIEWED, ACCEPTED = "draft", "accepted"
"""What a person made of a drafted question; see `LabelledQuestion.review`."""
_LABEL_LENGTH = 60
"""Characters of an id, a kind or a difficulty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSpan:
    """A stretch of a policy that answers a question, or a part of it."""

    policy: str
    """Key of the policy."""
    section: str
    """Number of the section, or its title."""
    version: str
    """The version, as its owner calls it, else its number."""
    start: int
    """First character, in code points of the version's text, from 0."""
    end: int
    """First character behind it."""
    quote: str
    """The stored text there."""


_SPAN = (
    *((name, str) for name in ("policy", "section", "version", "quote")),
    *((name, int) for name in ("start", "end")),
)
"""The types of its fields, as JSON has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """One question with what is right."""

    id: str
    """Identity in its set."""
    question: str
    """As typed."""
    kind: str
    """`graph`, `chunks`, `two_policies`, `facts`, `ambiguous`, `unanswerable`, `off_topic`,
    `sensitive`, `small_talk`, `evidence_removed`, one of those below, or a set's own."""
    expected: frozenset[str]
    """Outcomes that are right."""
    difficulty: str | None = None
    """`easy`, `medium`, `hard`, or a set's own; None: not labelled."""
    document: str | None = None
    """The document that it is asked of, by its path; None: of all policies together."""
    gold: frozenset[tuple[str, str]] = frozenset()
    """Policy key and section (lower case) that hold the answer."""
    must_quote: tuple[str, ...] = ()
    """Phrases of which a right answer quotes one, or tells one if it is of the kind `facts`; one
    that is `ambiguous` all of them, which are its branches. Empty: any."""
    gold_quotes: tuple[str, ...] = ()
    """Sentences of which a right answer quotes one, whatever the markup, the most direct first."""
    expected_facts: tuple[str, ...] = ()
    """What a right answer says, all of it, in these words or others."""
    without: frozenset[tuple[str, str]] = frozenset()
    """Sections that it is answered without, as in `gold`."""
    spans: tuple[LabelledSpan, ...] = ()
    """Where `gold_quotes` stand, or what `without` takes away; empty: not labelled."""
    review: str | None = None
    """`draft`: drafted from the policies, and nobody accepted it; `accepted`: somebody did; None:
    it was not drafted."""
    thread: tuple[Mapping[str, str], ...] = ()
    """Earlier turns: `question`, and for one that is not to be asked `outcome` and `reply`."""
    scope: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`jurisdiction`, `groups`, `as_of`, where set."""

    @property
    def is_comparable(self) -> bool:
        """True if it says what a right answer has to quote or to say."""
        return bool(self.must_quote or self.gold_quotes or self.expected_facts)

    @property
    def is_answerable(self) -> bool:
        """True if nothing but an answer is right."""
        return self.expected == ANSWERED_ONLY


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """Something in a set that is no question."""

    number: int
    """Its line, or its place in the array, from 1."""
    reason: str
    """What is wrong, and what should stand there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """What a file holds."""

    questions: tuple[LabelledQuestion, ...]
    """In order."""
    bad_lines: tuple[BadLine, ...]
    """All that has to be mended before anything is asked."""


def read_question_set(path: Path) -> QuestionSet:
    """Read a question set.

    Raises:
        UsageError: The file can't be read.
    """
    questions: dict[str, LabelledQuestion] = {}
    bad: list[BadLine] = []
    for number, line in _items(path):
        try:
            question = _question(_object_of(line), number)
        except (ValueError, TypeError, RecursionError) as error:
            bad.append(BadLine(number=number, reason=_reason(error)))
            continue
        if questions.setdefault(question.id, question) is not question:
            twice = f"the id {question.id!r} stands twice: give each question its own"
            bad.append(BadLine(number=number, reason=twice))
    found = tuple(questions.values())
    if len({question.document is None for question in found}) > 1:
        alone = "some questions name a `document` and others none: make them two sets"
        bad.append(BadLine(number=1, reason=alone))
    return QuestionSet(questions=found, bad_lines=tuple(bad))


def load_questions(path: Path) -> list[LabelledQuestion]:
    """Read a question set of which every line is a question.

    Raises:
        UsageError: The file can't be read or is empty, or a line is not a question.
    """
    found = read_question_set(path)
    if found.bad_lines:
        first = found.bad_lines[0]
        raise UsageError(f"{path}:{first.number}: not a labelled question: {first.reason}")
    if not found.questions:
        raise UsageError(f"{path} has no questions to ask")
    return list(found.questions)


def labelled_lines(path: Path, read: Callable[[Any, int], Label], *, named: str) -> list[Label]:
    """Return what is read of each line that is not blank, in order.

    Args:
        path: The file, UTF-8.
        read: Takes a line's JSON and its number, from 1; raises ValueError, KeyError or TypeError
            for what is no label.
        named: What a line should be, for the message.

    Raises:
        UsageError: The file can't be read, or a line is something else.
    """
    found: list[Label] = []
    for number, line in _lines(path):
        try:
            found.append(read(json.loads(line.decode()), number))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f"{path}:{number}: not {named} ({error!r})") from error
    return found


def without_evidence(questions: Iterable[LabelledQuestion]) -> list[LabelledQuestion]:
    """Return each answerable question again, to be asked without the sections that answer it.

    Facts about a policy, its owner for one, stand in no section.
    """
    return [
        replace(
            question,
            id=f"{question.id}/removed",
            kind=REMOVED,
            expected=frozenset(outcome.value for outcome in DECLINED),
            without=question.without | question.gold,
        )
        for question in questions
        if question.is_answerable and question.gold and question.kind != FACTS
    ]


def spread(questions: Sequence[Label], limit: int | None) -> list[Label]:
    """Return `limit` questions from all over the file, always the same; None: all of them."""
    if limit is None or limit >= len(questions):
        return list(questions)
    return [questions[place * len(questions) // limit] for place in range(limit)]


def _lines(path: Path) -> list[tuple[int, bytes]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _items(path: Path) -> list[tuple[int, object]]:
    """Return lines, not yet parsed, or the values of the one array that the file is."""
    lines = _lines(path)
    if not lines or not lines[0][1].lstrip().startswith(b"["):
        return [(number, line) for number, line in lines]
    try:
        values: object = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        place = f"{path}:{lines[0][0]}"
        raise UsageError(f"{place}: not a JSON array of questions ({error})") from error
    return list(enumerate(cast("list[object]", values), start=1))


def _object_of(item: object) -> Mapping[str, Any]:
    value: object = json.loads(item.decode()) if isinstance(item, bytes) else item
    if not isinstance(value, dict):
        raise TypeError(f"expected a JSON object, got {type(value).__name__}")
    return cast("Mapping[str, Any]", value)


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg} at column {error.colno}): write one object a line"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8: save the file as UTF-8"
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


def _question(data: Mapping[str, Any], number: int) -> LabelledQuestion:
    expected = _expected(data)
    gold_quotes = texts_of(data, "gold_quotes")
    is_answered = Outcome.ANSWERED.value in expected
    if "document" in data and is_answered != bool(gold_quotes):
        raise ValueError(
            "a question of a document needs `gold_quotes` if it is answered, and else has none"
        )
    return LabelledQuestion(
        id=_label(data, "id", str(number)),
        question=text_of(data, "question"),
        kind=_label(data, "kind", "answerable" if is_answered else "unanswerable"),
        expected=expected,
        difficulty=_label(data, "difficulty", None),
        document=text_of(data, "document") if "document" in data else None,
        gold=_sections(data, "gold"),
        must_quote=texts_of(data, "must_quote"),
        gold_quotes=gold_quotes,
        expected_facts=texts_of(data, "expected_facts"),
        without=_sections(data, "without"),
        spans=_spans(data),
        review=_review(data),
        thread=_thread(data),
        scope=_scope(data),
    )


def _expected(data: Mapping[str, Any]) -> frozenset[str]:
    """Return the outcomes that are right; `expected_outcome` refused is any that is no answer."""
    if "expected_outcome" in data:
        one: object = data["expected_outcome"]
        if one == Outcome.ANSWERED:
            return ANSWERED_ONLY
        if one == Outcome.REFUSED:
            return frozenset(outcome.value for outcome in DECLINED)
        raise ValueError(f"`expected_outcome` is answered or refused, got {one!r}")
    given = texts_of(data, "expected")
    known = {outcome.value for outcome in Outcome}
    if not given or not known.issuperset(given):
        raise ValueError(f"`expected` is a list of {', '.join(sorted(known))}; got {list(given)}")
    return frozenset(given)


def text_of(data: Mapping[str, Any], name: str) -> str:
    """Return a text that is there; raises TypeError if it is not, or empty."""
    value: object = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"`{name}` is a text that is not empty, got {value!r}")
    return value


def texts_of(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts, or the one; raises TypeError if it is something else."""
    value: object = data.get(name) or ()
    values = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
    texts = tuple(one for one in values if isinstance(one, str))
    if len(texts) < len(values) or not all(any(map(str.isalnum, one)) for one in texts):
        raise TypeError(f"`{name}` is a list of texts, each with a letter or a figure")
    return texts


def _label(data: Mapping[str, Any], name: str, default: Any) -> Any:
    value: object = data.get(name)
    if value is None:
        return default
    text = str(value) if isinstance(value, str | int) else ""
    if not (0 < len(text) <= _LABEL_LENGTH and text.isprintable()):
        raise TypeError(f"`{name}` is a text of 1 to {_LABEL_LENGTH} characters, got {value!r}")
    return text


def _sections(data: Mapping[str, Any], name: str) -> frozenset[tuple[str, str]]:
    try:
        return frozenset((one["policy"], one["section"].lower()) for one in data.get(name) or ())
    except (TypeError, KeyError, AttributeError) as error:
        raise TypeError(f'`{name}` is a list of {{"policy": "...", "section": "..."}}') from error


def _spans(data: Mapping[str, Any]) -> tuple[LabelledSpan, ...]:
    try:
        found = tuple(LabelledSpan(**one) for one in data.get("spans") or ())
        is_typed = all(
            isinstance(getattr(one, name), kind) for one in found for name, kind in _SPAN
        )
    except TypeError:
        found, is_typed = (), False
    if not is_typed:
        raise TypeError(
            '`spans` is a list of {"policy": "...", "section": "...", "version": "...", "start": 0,'
            ' "end": 9, "quote": "..."}'
        )
    if any(len(one.quote) != one.end - one.start for one in found):
        raise ValueError("a quote of `spans` is not as long as from its `start` to its `end`")
    return found


def _review(data: Mapping[str, Any]) -> str | None:
    given: object = data.get("review")
    if given not in (None, UNREVIEWED, ACCEPTED):
        raise ValueError(f"`review` is {UNREVIEWED} or {ACCEPTED}, got {given!r}")
    return cast("str | None", given)


def _thread(data: Mapping[str, Any]) -> tuple[Mapping[str, str], ...]:
    turns: object = data.get("thread") or ()
    if not isinstance(turns, list | tuple):
        raise TypeError("`thread` is a list of turns")
    for turn in cast("Sequence[object]", turns):
        if not isinstance(turn, dict):
            raise TypeError("a turn of `thread` is an object with a `question`")
        text_of(cast("Mapping[str, Any]", turn), "question")
    return tuple(cast("Sequence[Mapping[str, str]]", turns))


def _scope(data: Mapping[str, Any]) -> Mapping[str, Any]:
    scope: object = data.get("scope") or {}
    if not isinstance(scope, dict):
        raise TypeError("`scope` is an object with `jurisdiction`, `groups` or `as_of`")
    found = cast("Mapping[str, Any]", scope)
    if found.get("as_of"):
        date.fromisoformat(found["as_of"])
    return found

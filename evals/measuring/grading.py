"""Grade an answer against its labels: by code first, by a language model where code can't say.

Code decides whatever can be compared: outcomes, quoted sentences, cited sections, facts in the
label's own words. A model that grades is asked about every answer that has something to compare, so
that it can be seen how often the two agree; it decides only where facts are missing word for word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.answer import Answer, Outcome, ShownCitation
from evals.measuring.matching import has_gold, tells
from evals.measuring.questions import AMBIGUOUS, FACTS, TWO_POLICIES, LabelledQuestion


class Grade(StrEnum):
    """The scale of a grader, which is also that of officers."""

    RIGHT = "right"
    PARTLY = "partly"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotGraded:
    """A grader gave no grade: never one of the scale, and counted apart."""

    reason: str
    """Why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCounts:
    """How citations and labels meet."""

    shown: int
    """Citations under the answer."""
    right: int
    """Of them: those of a labelled section or sentence."""
    labelled: int
    """Sections, or sentences, that the label names; 0: it names none."""
    found: int
    """Of them: those that are cited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeGrade:
    """What comparing says."""

    is_outcome_right: bool
    """True if the question ended as it should."""
    is_quoted: bool | None
    """True if what is quoted answers, be it as the answer or as the closest passage; None if
    nothing was quoted, or nothing is labelled as the answer of an answerable question."""
    is_told: bool | None
    """True if all expected facts are said word for word; None if it was not answered, or none are
    labelled."""
    citations: CitationCounts
    """Of an answer or a closest passage."""
    passed: bool
    """True if the outcome is right, and of an answer quotes and facts as well."""


def grade_by_code(question: LabelledQuestion, answer: Answer) -> CodeGrade:
    """Compare an answer with its labels.

    An answer to a question that is ambiguous is right only with all branches: one of them alone
    tells somebody the rule of others.
    """
    is_answered = answer.outcome is Outcome.ANSWERED
    is_quoted = _is_quoted(question, answer) if is_answered or answer.is_closest else None
    is_told = _is_told(question, answer) if is_answered and question.expected_facts else None
    is_complete = not is_answered or (is_quoted is not False and is_told is not False)
    is_expected = _ending(answer) in question.expected
    return CodeGrade(
        is_outcome_right=is_expected and (is_complete or question.kind != AMBIGUOUS),
        is_quoted=is_quoted,
        is_told=is_told,
        citations=_citations(question, answer.quoted),
        passed=is_expected and is_complete,
    )


def _ending(answer: Answer) -> str:
    """Return how a run ended; a refusal that is passed on to a person is one."""
    is_refusal = answer.outcome is Outcome.ESCALATED and not answer.is_report
    return Outcome.REFUSED.value if is_refusal else answer.outcome.value


def _is_quoted(question: LabelledQuestion, answer: Answer) -> bool | None:
    """Say whether the quotes answer; of a question that nothing answers they never do."""
    if Outcome.ANSWERED not in question.expected:
        return False
    if not question.must_quote and not question.gold_quotes:
        return None
    quotes = [citation.quote for citation in answer.citations]
    if question.gold_quotes and not has_gold(quotes, question.gold_quotes):
        return False
    if question.kind == TWO_POLICIES and not _quotes_both(question, answer):
        return False
    said = [answer.text, *answer.notes] if question.kind == FACTS else []
    there = _folded(" ".join([*quotes, *said]))
    found = [_folded(phrase) in there for phrase in question.must_quote]
    return all(found) if question.kind == AMBIGUOUS else any(found) or not found


def _quotes_both(question: LabelledQuestion, answer: Answer) -> bool:
    """Say whether an answer cites each policy; where spans are labelled, also one of its spans."""
    cited = answer.citations
    if not _policies(question) <= {one.place.policy_key for one in cited}:
        return False
    wanted: dict[str, list[str]] = {}
    for span in question.spans:
        wanted.setdefault(span.policy, []).append(span.quote)
    return all(
        has_gold([one.quote for one in cited if one.place.policy_key == policy], quotes)
        for policy, quotes in wanted.items()
    )


def _policies(question: LabelledQuestion) -> set[str]:
    return {policy for policy, _ in question.gold}


def _is_told(question: LabelledQuestion, answer: Answer) -> bool:
    texts = [answer.text, *answer.notes, *(citation.quote for citation in answer.citations)]
    return all(tells(texts, fact) for fact in question.expected_facts)


def _citations(question: LabelledQuestion, citations: Sequence[ShownCitation]) -> CitationCounts:
    if question.gold:
        cited = [
            (one.place.policy_key, (one.place.number or one.place.title).lower())
            for one in citations
        ]
        right = sum(place in question.gold for place in cited)
        labelled, found = len(question.gold), len(question.gold.intersection(cited))
    else:
        quotes = [one.quote for one in citations]
        right = sum(has_gold([quote], question.gold_quotes) for quote in quotes)
        labelled = len(question.gold_quotes)
        found = sum(has_gold(quotes, [sentence]) for sentence in question.gold_quotes)
    return CitationCounts(shown=len(citations), right=right, labelled=labelled, found=found)


def _folded(text: str) -> str:
    return " ".join(text.split())

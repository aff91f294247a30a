"""Whether two answers to one question contradict each other, decided by code alone.

Both must speak of one policy: answers out of two policies may both be right. They contradict each
other if one says Yes and the other No, if they state other numbers in one unit, if a statement of
one says the opposite of a sentence of the other, or if they quote different sentences of the
policy. The last is weak: a rule and its exception are two sentences.

How often that is a false alarm is measured by `python -m evals.contradictions`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.domain.answer import Outcome
from core.domain.json_value import JsonObject
from core.grounding.polarity import nearest_sentence, polarity_kept
from core.language.quantities import comparable, quantities

LEAST_ALIKE = 0.6
"""Share of a statement's words that a sentence must have to be about the same: below, one of two
sentences of a policy that only share a subject would be taken for the opposite of the other."""
_COUNTED = frozenset({"amount", "percentage", "duration"})
_YES_OR_NO = re.compile(r"(yes|no)\b", re.IGNORECASE)


class ContradictionKind(StrEnum):
    """What two answers disagree in, the gravest first."""

    MODALITY = "modality"
    """One allows, or affirms, what the other forbids, or denies."""
    NUMBER = "number"
    """They state other amounts, shares or periods in one unit."""
    SILENCE = "silence"
    """One is an answer, the other a refusal."""
    QUOTE = "quote"
    """They quote different sentences of one policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerContradiction:
    """How two answers disagree."""

    kind: ContradictionKind
    """In what."""
    policy: str
    """Key of the policy that they disagree about."""
    then: str
    """The words of the one: a number, a sentence, or the outcome."""
    now: str
    """The words of the other."""

    @property
    def is_plain(self) -> bool:
        """True if both can't be right: another number, or the opposite."""
        return self.kind in {ContradictionKind.MODALITY, ContradictionKind.NUMBER}


def contradiction(then: JsonObject, now: JsonObject) -> AnswerContradiction | None:
    """Return the gravest contradiction of two answers, as `answer_json` writes them; None: none.

    A question back contradicts nothing.
    """
    if _is_answered(then) and _is_answered(now):
        return next(_between(then, now), None)
    silent = {Outcome.REFUSED.value, Outcome.ESCALATED.value}
    outcomes = [str(one["outcome"]) for one in (then, now)]
    if {Outcome.ANSWERED.value} < set(outcomes) and silent & set(outcomes):
        answered = then if _is_answered(then) else now
        return AnswerContradiction(
            kind=ContradictionKind.SILENCE,
            policy=next(iter(_quotes(answered)), ""),
            then=outcomes[0],
            now=outcomes[1],
        )
    return None


def _between(then: JsonObject, now: JsonObject) -> Iterator[AnswerContradiction]:
    said, says = _quotes(then), _quotes(now)
    shared = [policy for policy in said if policy in says]
    if not shared:
        return
    heads = [_YES_OR_NO.match(str(one["answer"]).strip()) for one in (then, now)]
    words = [head.group(1).lower() if head else "" for head in heads]
    if all(words) and words[0] != words[1]:
        yield AnswerContradiction(
            kind=ContradictionKind.MODALITY, policy=shared[0], then=words[0], now=words[1]
        )
    for policy in shared:
        yield from _opposites(policy, said[policy], says[policy])
    for policy in shared:
        yield from _numbers(policy, said[policy], says[policy])
    for policy in shared:
        if not any(_overlap(one, other) for one in said[policy] for other in says[policy]):
            yield AnswerContradiction(
                kind=ContradictionKind.QUOTE,
                policy=policy,
                then=said[policy][0],
                now=says[policy][0],
            )


def _opposites(
    policy: str, said: Sequence[str], says: Sequence[str]
) -> Iterator[AnswerContradiction]:
    for now in says:
        if any(_overlap(now, then) for then in said):
            continue
        for then in said:
            share, sentence = nearest_sentence(now, then)
            if share >= LEAST_ALIKE and polarity_kept(now, [sentence]) is not None:
                yield AnswerContradiction(
                    kind=ContradictionKind.MODALITY, policy=policy, then=sentence, now=now
                )


def _numbers(
    policy: str, said: Sequence[str], says: Sequence[str]
) -> Iterator[AnswerContradiction]:
    """Yield units in which both state numbers, and none that is the same."""
    then, now = _values(said), _values(says)
    for unit in then.keys() & now.keys():
        if not then[unit] & now[unit]:
            yield AnswerContradiction(
                kind=ContradictionKind.NUMBER,
                policy=policy,
                then=", ".join(sorted(then[unit])),
                now=", ".join(sorted(now[unit])),
            )


def _values(texts: Sequence[str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for text in texts:
        for one in quantities(text):
            if one.kind in _COUNTED:
                form = comparable(one)
                number, _, unit = form.partition(" ")
                unit = number if one.kind == "amount" else unit
                found.setdefault(unit, set()).add(form)
    return {unit: frozenset(forms) for unit, forms in found.items()}


def _is_answered(answer: JsonObject) -> bool:
    return bool(answer["outcome"] == Outcome.ANSWERED.value)


def _quotes(answer: JsonObject) -> Mapping[str, Sequence[str]]:
    """Return what an answer quotes, by policy, in its order."""
    found: dict[str, list[str]] = {}
    citations: Sequence[Mapping[str, Any]] = answer["citations"]
    for one in citations:
        found.setdefault(str(one["policy"]), []).append(" ".join(str(one["quote"]).split()))
    return found


def _overlap(one: str, other: str) -> bool:
    """Say whether two quotes are the same words, or one has the other's within it."""
    return one in other or other in one

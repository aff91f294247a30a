"""Whether a statement says the opposite of what it cites: allowed for forbidden, need not for must.

Only clear contradictions count. A statement in other words may put a rule the other way round ("you
may only ... if" for "must not ... unless"), so two clauses are compared only if they share most of
their words, and the more alike they are, the finer the difference that counts:

one allows and the other forbids, one requires and the other frees, or one is a duty and the other
advice. Negations without a word of force are left to `negation_kept`.

Of 592 unsupported statements about 54 policies that negate or soften a rule these checks find
nearly three quarters together with `strength_kept` and `negation_kept`; of 1,299 supported ones
they reject 1.4 %.

A condition turns a rule: clauses of which only one is limited ("only", "unless", "if") are left to
`framing_kept`, except that a permission without the condition of its prohibition never passes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.expressions import expression
from core.language.content_words import families, words
from core.language.modality import (
    LEAD_IN,
    LIST_ITEM,
    NEGLECT,
    OF_SOMEBODY,
    Modality,
    is_negated,
    modalities,
)
from core.language.sentences import split_sentences

_LIMIT = expression(
    r"\b(?:only|unless|until|before|except|other\s+than|without|with|solely|just|prior|after|once"
    r"|if|when|where|provided|beforehand|inside|subject\s+to|limited|instead|rather|either|whether"
    r"|even)\b",
    re.IGNORECASE,
)
"""What may turn a rule round."""
_BOUND = expression(
    r"\b(?:more|less|fewer|greater|longer)\s+than\b|\b(?:up\s+to|at\s+(?:most|least)|maximum|above"
    r"|below|over|under|exceed\w*|within)\b",
    re.IGNORECASE,
)
"""What makes a limit: "not more than five" is "up to five"."""
_TURN = expression(
    r"\b(?:only|until|before|even|instead|rather|other\s+than|either|whether|prior"
    r"|(?:more|less|\w{3,12}er)\s+than|up\s+to|above|below|over|at\s+most)\b",
    re.IGNORECASE,
)
"""What makes a negated sentence say the same as one that is not."""
_SHUTTING = frozenset({"unless", "without", "until", "before", "except"})
"""What ends a prohibition: with the same of them a permission is its opposite."""
_ABILITY = expression(r"can|(?:is|are|be)\s+(?:able|authori[sz]ed|entitled)\b", re.IGNORECASE)
"""Permissions in the words of what is possible."""
_ORDER = expression(r"(?:please\s+)?do(?:\b|n)", re.IGNORECASE)
"""How an order begins, which is told as advice too."""
_DECLINING = expression(r"\W*(?:please\s+)?(?:decline|refuse|avoid|reject)\s+\w", re.IGNORECASE)
"""An order that forbids without a word of forbidding; "Refuse gifts" is not to accept any."""
_STATES_LIMIT = expression(
    r"\b(?:must|shall|ha(?:s|ve)\s+to|needs?\s+to)\s+(?:be|stay|remain|cost|last)\s+"
    r"(?:within|under|below|above|over|at|no|not|more|less|worth|between|up\s+to|[$\u20ac\xa3\d])",
    re.IGNORECASE,
)
"""A limit told as a duty: "must cost at most EUR 50" for "may cost up to EUR 50"."""
_SOON = 5
"""Words behind "must not" among which its verb is."""
_CHOICE = expression(r"\b(?:discretion|option(?:al|ally)?|free\s+to)\b", re.IGNORECASE)
"""Who is left to choose may."""
_RELATIVE = expression(r"\b(?:which|who|whom|whose|that)(?:\s+\w+)?\s*$", re.IGNORECASE)
_ANSWER = expression(
    r"(?<!\s)\s*+(?:[-*\u2022]\s++)?(?:A:\s*+)?(?:yes|no(?:\s+(?:problem|worries))?|sure|of\s+course"
    r"|certainly)\s*+[,.:;!\u2013\u2014-]\s*+",
    re.IGNORECASE,
)
_ALIKE = 0.8
"""Share of a statement's words in a sentence from which the two are in nearly the same words."""
_NEARLY_ALL = 0.9
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class _Clash:
    """When two clauses of two forces contradict each other."""

    least: float
    """Share of the statement's words that the source's clause must have."""
    as_limited: bool = False
    """True if both must be limited in the same words."""


_M = Modality
_CLASHES: Mapping[tuple[Modality, Modality], _Clash] = {
    (_M.MAY, _M.MUST_NOT): _Clash(0.3),
    (_M.NEED_NOT, _M.MUST): _Clash(0.3),
    (_M.MUST, _M.NEED_NOT): _Clash(0.6),
    (_M.SHOULD, _M.MUST): _Clash(0.4),
    (_M.SHOULD_NOT, _M.MUST_NOT): _Clash(0.4),
    (_M.SHOULD, _M.SHOULD_NOT): _Clash(0.6),
    (_M.SHOULD_NOT, _M.SHOULD): _Clash(0.8),
    (_M.SHOULD_NOT, _M.MUST): _Clash(0.8, as_limited=True),
    (_M.MAY, _M.MUST): _Clash(0.5),
    (_M.MAY, _M.SHOULD): _Clash(0.6),
    (_M.MAY, _M.NONE): _Clash(0.8, as_limited=True),
    (_M.MUST, _M.MAY): _Clash(0.8, as_limited=True),
    (_M.MUST, _M.SHOULD): _Clash(0.8),
    (_M.MUST_NOT, _M.MAY): _Clash(0.8, as_limited=True),
    (_M.MUST_NOT, _M.MUST): _Clash(0.8, as_limited=True),
    (_M.MUST, _M.MUST_NOT): _Clash(0.8, as_limited=True),
}
"""By the force in the statement and in the source. Fitted on 3,375 labelled statements about 54
policies; pairs that found little there are left out."""
_OF_ONE_VERB = frozenset(
    {
        (_M.MUST, _M.MAY),
        (_M.MUST_NOT, _M.MAY),
        (_M.MAY, _M.SHOULD_NOT),
        (_M.NEED_NOT, _M.MUST_NOT),
        (_M.NEED_NOT, _M.MAY),
        (_M.NEED_NOT, _M.NONE),
    }
)
"""Forces that differ if both clauses say them of one verb and neither is limited. With the bound of
(may, must) they found 34 unsupported statements about some 100 policies that nothing else finds,
and rejected 3 supported ones."""
_LEAST_OF_ONE_VERB = 0.65
"""Share of the claim's words that the other clause then has."""
_ONLY_AGAINST = {_M.MAY: _M.MUST_NOT, _M.MUST_NOT: _M.MAY}
"""What a source that only forbids, or only allows, does not bear out, whatever it is about."""
_FORBIDS = frozenset({_M.MUST_NOT, _M.SHOULD_NOT})
_INVERSE = ({_M.MUST, _M.MUST_NOT}, {_M.SHOULD, _M.SHOULD_NOT})
"""Which say the same of an act and of leaving it undone."""
_WEAKER = {(_M.SHOULD, _M.MUST), (_M.SHOULD_NOT, _M.MUST_NOT)}
"""Advice for a duty, if both deny or neither does."""
_SAME_WORDS = _Clash(0.8, as_limited=True)
"""For any other two forces: in nearly the same words, both ways."""


@dataclass(frozen=True, slots=True)
class Said:
    """A clause or sentence, for comparison."""

    words: frozenset[str]
    """Families of its content words, with those of the subject or lead-in that it shares."""
    is_negated: bool
    """True if it has an odd number of negations."""
    limits: frozenset[str]
    """What may turn it round."""
    text: str
    """As written, on one line."""
    force: Modality = Modality.NONE
    """What it makes of the act; NONE for a whole sentence."""
    trigger: str = ""
    """The words that say so."""
    is_subordinate: bool = False
    """True for a condition or relative clause."""
    is_bounded: bool = False
    """True if it sets a limit to something."""

    def share_in(self, other: "Said") -> float:
        """Return which share of its words another one has, in [0, 1]; it must have some."""
        return len(self.words & other.words) / len(self.words)

    def likeness(self, other: "Said") -> float:
        """Return which share of the words of both are in both, in [0, 1]; one must have some."""
        return len(self.words & other.words) / len(self.words | other.words)


def polarity_kept(claim: str, sources: Sequence[str]) -> str | None:
    """Say how `claim` contradicts its sources, or None if it does not clearly do so.

    A claim that stands in a source is kept. A lead-in and its item may be two sources, in this
    order.
    """
    said = without_answer(claim)
    if not said.strip() or any(
        stands_in(one, source) for one in {claim, said} for source in sources
    ):
        return None
    return _forced(said, "\n".join(sources))


def stands_in(claim: str, source: str) -> bool:
    """Say whether a claim is in the source, and starts where a sentence of it starts.

    A fragment that leaves its negation behind is not.
    """
    wanted = _folded(claim)
    reach = 2 * len(claim) + 40
    for unit in split_sentences(source):
        start = source[unit.char_start : unit.char_start + reach]
        marker = LIST_ITEM.match(start)
        if any(
            _folded(text).startswith(wanted)
            for text in (start, start[marker.end() :] if marker else start)
        ):
            return True
    return False


def without_answer(text: str) -> str:
    """Return `text` without the "Yes," or "No:" that it may begin with."""
    match = _ANSWER.match(text)
    return text[match.end() :] if match else text


def parity_differs(claim: str, source: str) -> bool:
    """Say whether a statement has an odd number of negations where its source has an even one.

    The source is its sentence that has most of the statement's words.
    """
    one = _sentence(claim)
    near = nearest(one, sentences_of(source))
    return bool(near) and near[0].is_negated != one.is_negated


def nearest_sentence(claim: str, source: str) -> tuple[float, str]:
    """Return the sentence that has most of a statement's words, and the share of them in [0, 1]."""
    one = _sentence(claim)
    near = nearest(one, sentences_of(source))
    return (one.share_in(near[0]), near[0].text) if near else (0.0, "")


def sentences_of(text: str) -> Iterator[Said]:
    """Yield the sentences of a text, a list item with the sentence that introduces the list."""
    lead_in = ""
    for unit in split_sentences(text):
        raw = unit.of(text)
        is_item = LIST_ITEM.match(raw) is not None
        if LEAD_IN.search(raw) or not is_item:
            yield _sentence(raw)
            lead_in = raw if LEAD_IN.search(raw) else ""
        else:
            yield _sentence(f"{lead_in} {raw}")


def _forced(claim: str, source: str) -> str | None:
    theirs = _clauses(source)
    for one in _main(_clauses(claim)):
        near = nearest(one, theirs)
        if near and all(_clash(one, other) for other in near):
            other = near[0]
            return f"claim says {one.force.value}, source {other.force.value}: {other.text!r}"
        against = _ONLY_AGAINST.get(one.force)
        is_plain = (
            not (one.limits or one.is_bounded) and (one.force is _M.MUST_NOT) is one.is_negated
        )
        if is_plain and theirs and all(_is_plainly(other, against) for other in theirs):
            return f"claim says {one.force.value}, no source does: {theirs[0].text!r}"
    return None


def _is_plainly(other: Said, force: Modality | None) -> bool:
    """Say whether a clause of the sources is of a force; one that allows must allow all."""
    return other.force is force and (force is _M.MUST_NOT or not other.limits)


def _main(clauses: Sequence[Said]) -> Sequence[Said]:
    """Return the main clauses; without any, those that no relative pronoun opens."""
    main = [one for one in clauses if not one.is_subordinate]
    return main or [
        one for one in clauses if not _RELATIVE.search(one.text.partition(one.trigger)[0])
    ]


def _clash(one: Said, other: Said) -> bool:
    """Say whether a clause of the claim contradicts one of the sources."""
    rule = _CLASHES.get((one.force, other.force), _SAME_WORDS)
    if _is_of_one_verb(one, other):
        return True
    is_open = rule is _SAME_WORDS and _M.NONE in {one.force, other.force}
    is_same_duty = _is_neglect(one) and other.force not in _FORBIDS
    if is_open or one.force is other.force or is_same_duty or one.share_in(other) < rule.least:
        return False
    is_bounded = one.force is _M.MUST_NOT and (one.is_bounded or other.is_bounded)
    is_limit = other.is_bounded and _STATES_LIMIT.search(one.text) is not None
    is_bounded |= is_limit and (one.force, other.force) == (_M.MUST, _M.MAY)
    is_looser = rule is _SAME_WORDS and one.likeness(other) < _ALIKE
    if is_bounded or is_looser or (rule.as_limited and one.limits != other.limits):
        return False
    if one.force is _M.MAY:
        return _is_too_free(one, other)
    if (one.force, other.force) in _WEAKER:
        is_order = other.force is _M.MUST_NOT and _ORDER.match(other.trigger)
        return not is_order and one.is_negated == other.is_negated
    pair = {one.force, other.force}
    is_same = pair in _INVERSE and one.is_negated == other.is_negated
    is_only = pair == {_M.MUST, _M.NEED_NOT} and "only" in one.limits
    return not is_same and not is_only


def _is_of_one_verb(one: Said, other: Said) -> bool:
    """Say whether two clauses say of one act what can't both hold."""
    if (one.force, other.force) not in _OF_ONE_VERB or one.share_in(other) < _LEAST_OF_ONE_VERB:
        return False
    is_limited = "only" in one.limits | other.limits or one.limits & (_SHUTTING | {"after"})
    is_bounded = one.is_bounded or other.is_bounded
    verb = _verb(one)
    return not is_limited and not is_bounded and bool(verb) and verb == _verb(other)


def _verb(one: Said) -> frozenset[str]:
    """Return the family of the first telling word behind what gives a clause its force."""
    behind = one.text.partition(one.trigger)[2] if one.trigger else one.text
    telling = (families(word) for word in words(behind)[:_SOON])
    return next((found for found in telling if found), frozenset[str]())


def _is_neglect(one: Said) -> bool:
    """Say whether a clause forbids to leave undone what a duty asks for."""
    behind = one.text.partition(one.trigger)[2] if one.trigger else one.text
    is_soon = NEGLECT.search(" ".join(behind.split()[:_SOON])) is not None
    return is_soon and one.force in _FORBIDS


def _is_too_free(one: Said, other: Said) -> bool:
    """Say whether a permission is none by the nearest clause of the sources."""
    if other.force is _M.MUST_NOT:
        if "only" in one.limits and OF_SOMEBODY.search(other.text):
            return False
        ours, theirs = one.limits - {"even"}, other.limits - {"even"}
        is_turned = theirs and ours - _SHUTTING and not ours & theirs & _SHUTTING
        return not is_turned or ours == theirs
    if "only" in one.limits | other.limits or "unless" in other.limits:
        return False
    if _CHOICE.search(other.text):
        return False
    is_ability = _ABILITY.match(one.trigger) is not None
    if other.force is _M.NONE:
        return not is_ability and one.likeness(other) >= _HALF
    return not is_ability or one.share_in(other) >= _NEARLY_ALL


def nearest(one: Said, others: Iterable[Said]) -> list[Said]:
    """Return the clauses or sentences that share most with one of the claim."""
    if not one.words:
        return []
    ranked = [
        ((round(one.share_in(other), 6), round(one.likeness(other), 6)), other)
        for other in others
        if other.words
    ]
    best = max((rank for rank, _ in ranked), default=None)
    return [other for rank, other in ranked if rank == best]


def _clauses(text: str) -> list[Said]:
    """Return what each clause says, with the subject or lead-in that it shares."""
    found: list[Said] = []
    for clause in modalities(text):
        shared = clause.lead_in or clause.subject
        said = " ".join(f"{shared.of(text) if shared else ''} {clause.span.of(text)}".split())
        trigger = clause.trigger.of(text) if clause.trigger else ""
        if about := families(said) - families(trigger):
            found.append(
                Said(
                    words=about,
                    is_negated=is_negated(said),
                    limits=_found(_LIMIT, said),
                    text=said,
                    force=_M.MUST_NOT
                    if not trigger and _DECLINING.match(said)
                    else clause.modality,
                    trigger=trigger,
                    is_subordinate=clause.is_subordinate,
                    is_bounded=_BOUND.search(said) is not None,
                )
            )
    return found


def _sentence(text: str) -> Said:
    said = without_answer(" ".join(text.split()))
    return Said(
        words=families(said), is_negated=is_negated(said), limits=_found(_TURN, said), text=said
    )


def _found(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found.casefold() for found in pattern.findall(text))


def _folded(text: str) -> str:
    return f" {' '.join(words(text))} "

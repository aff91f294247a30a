"""Questions of a rule, as somebody would ask them who has to follow it.

A rule gives questions of several kinds: whether one may or must, who has to, what to do in a case,
until when, up to what amount, and when a rule does not hold. The wordings stay close to the rule's.
"""

import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from random import Random

from core.language.phrasing import unmarked
from core.language.quantities import Quantity, quantities, value_of
from evals.measuring.drafting.clauses import RuleClause, small
from evals.measuring.drafting.inversion import (
    THEIRS,
    Inversion,
    RuleQuestion,
    capital,
    mine,
)
from evals.measuring.questions import DEADLINE, DEFINITION, EXCEPTION, NORM, THRESHOLD

MOST_WORDS = 32
"""Of a question."""
_UNIT = (
    r"(?:(?:calendar|business|working|consecutive|full) )?"
    r"(?:minutes?|hours?|days?|weeks?|months?|years?)"
)
_COUNT = r"(?:(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,4})[ -])"
_TIME = rf"{_COUNT}{_UNIT}"
_EVENT = (
    r"(?: (?:of|after|from|following)"
    r" (?P<event>(?!(?:its|their|my|your|the same)\b)[^,]{3,70}?))?"
)
_AFTER = r"(?P<after>\s(?:to|by|via|through|using|with|in the|at)\s[^,]{1,250})?$"
"""What follows a time; what is longer makes no question of `MOST_WORDS`."""
_WITHIN = re.compile(
    rf"\s(?:within|no later than|not later than|in no more than|at the latest)"
    rf"(?: (?:the (?:first|next)|a period of|at most|at the latest))? {_TIME}{_EVENT}{_AFTER}",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    rf"\s(?:at least |no later than |not later than |a minimum of )?{_TIME}"
    rf" (?:in advance(?: of (?P<of>[^,]+?))?|(?:before|prior to|ahead of) (?P<event>[^,]+?))$",
    re.IGNORECASE,
)
_FOR = re.compile(
    rf"\sfor (?:at least |a minimum of |a period of (?:at least )?|up to |at most |no more than"
    rf" |no longer than |more than |longer than |a maximum of )?{_TIME}{_EVENT}$",
    re.IGNORECASE,
)
_EVERY = re.compile(
    rf"\s(?:at least )?(?:every (?:{_COUNT})?{_UNIT}|(?:once|twice) (?:a|per|every|each)"
    r" (?:calendar )?(?:year|quarter|month|week|day)|annually|yearly|quarterly|monthly|weekly|daily"
    rf"|each (?:year|quarter|month|week)){_AFTER}",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(
    r"\s(?:immediately|without (?:undue )?delay|promptly|as soon as (?:possible|practicable)"
    r"|at once|forthwith|on the same day|straight away)"
    rf"{_AFTER}",
    re.IGNORECASE,
)
_ONCE_FIRST = re.compile(r"^(?P<be>be )?(?:immediately|promptly)\s", re.IGNORECASE)
_TIMES = (
    (_AHEAD, ""),
    (_FOR, "how long"),
    (_WITHIN, ""),
    (_EVERY, "how often"),
    (_AT_ONCE, "how quickly"),
)
"""What tells a time, and how it is asked for; empty: by its event."""
_SOON = ("how soon", "how quickly")
_WORTH = (
    r"\s(?:(?:with|of|in) an? (?:total |combined )?(?:value|amount|price) (?:of )?"
    r"|worth |costing |valued (?:at )?|of )?"
)
_BOUNDS = (
    (
        re.compile(
            rf"{_WORTH}(?:up to|no more than|not more than|at most|a maximum of)\s$", re.IGNORECASE
        ),
        "up to what",
        Decimal("0.8"),
    ),
    (
        re.compile(
            rf"{_WORTH}(?:above|over|more than|exceeding|in excess of|greater than)\s$",
            re.IGNORECASE,
        ),
        "above what",
        Decimal("1.2"),
    ),
    (
        re.compile(rf"{_WORTH}(?:below|under|less than)\s$", re.IGNORECASE),
        "below what",
        Decimal("0.8"),
    ),
)
"""What stands before a limit, how it is asked for, and how far off it a compared figure is."""
_LIMIT = re.compile(
    r"\s(?:(?P<prep>for|on) )?(?P<how>up to|at most|no more than|not more than|a maximum of"
    r"|at least|a minimum of|no less than|not less than|no fewer than)\s$",
    re.IGNORECASE,
)
_NOUN = (
    r"(?: of (?:(?!to\b|for\b)[A-Za-z-]+ ){0,1}[A-Za-z-]+)?"
    r"(?: (?:a|an|per|each|every|in any) (?:calendar |working |business |financial )?[a-z]+)?"
    r"(?=$|\s(?:to|for|from|during|in|by|with|on|at|against|without)\b)"
)
"""What follows what is counted: "of paid leave per year"."""
_TRANSITIVE = ("claim", "spend", "pay", "accept", "approve", "cost", "receive", "for", "of")
_MEANS = re.compile(r"(?:\([^()]{1,20}\)\s*)?(?:means?\b|refers? to\b|is\b|are\b|includes?\b|\||:)")
_TERM_WORDS, _BARE_WORDS, _MEANING_WORDS = 6, 3, 4
_NO_TERM = re.compile(
    r"(?:please|this|that|these|it|which|note|we|you|\w+ing)\b|.*\b(?:also|will|not|often)$",
    re.IGNORECASE,
)
_NEAR = 40
_SMALLEST = 10
_COMPARED = 0.5
"""How often a figure is compared, instead of asked for."""


def wordings_of(clause: RuleClause, random: Random) -> Iterator[RuleQuestion]:
    """Yield the questions that a rule answers, at most one of each form."""
    asks = _Asking(clause, random)
    if not asks.is_askable:
        return
    found = [
        *asks.by_when(),
        *asks.how_much(),
        *asks.exception(),
        *asks.what_or_who(),
        *asks.whether(),
    ]
    for one in found:
        if len(one.question.split()) <= MOST_WORDS:
            yield one


def is_definition(quote: str, term: str, meaning: str) -> bool:
    """Say whether a sentence, or a table's row, defines a term and does not only introduce it."""
    is_quoted = unmarked(quote).startswith(('"', "\u201c"))
    said = unmarked(quote).strip('"\u201c ')
    behind = said[len(term) :].lstrip('"\u201d ')
    return (
        said[: len(term)].casefold() == term.casefold()
        and len(term.split()) <= (_TERM_WORDS if is_quoted or "|" in behind else _BARE_WORDS)
        and not _NO_TERM.match(term)
        and len(meaning.split()) >= _MEANING_WORDS
        and _MEANS.match(behind) is not None
    )


def definition_wording(term: str, random: Random, names: Collection[str]) -> RuleQuestion:
    """Ask what a term means."""
    forms = ('What does "{}" mean?', 'What is meant by "{}"?', 'How is "{}" defined?')
    is_name = any(not word.islower() for word in term.split()[1:])
    question = random.choice(forms).format(term if is_name else small(term, names))
    return RuleQuestion(kind=DEFINITION, question=question, is_conditional=False)


def joined(first: str, second: str) -> str:
    """Ask two questions at once."""
    lower = second if second.startswith(("I ", "I'")) else second[0].lower() + second[1:]
    return f"{first.rstrip('?')}, and {lower}"


class _Asking(Inversion):
    """The questions of one rule."""

    def by_when(self) -> Iterator[RuleQuestion]:
        """Ask for a deadline, a period or how often."""
        one = self.clause
        if one.is_negative or one.behind:
            return
        for pattern, words in _TIMES:
            found = pattern.search(one.predicate)
            if found:
                behind = found.groupdict().get("after") or ""
                rest = f"{one.predicate[: found.start()].rstrip(' ,')}{behind}"
                event = _event(found)
                if re.search(_TIME, rest) or ", " in rest or " and " in event:
                    return
                yield from self.measured(DEADLINE, words or self._by_event(pattern, event), rest)
                return
        at_once = _ONCE_FIRST.match(one.predicate)
        if at_once:
            rest = (at_once["be"] or "") + one.predicate[at_once.end() :]
            yield from self.measured(DEADLINE, "how quickly", rest)

    def _by_event(self, pattern: re.Pattern[str], event: str) -> str:
        """Return how long before or after an event is asked for, if it says what it is."""
        is_told = event and not THEIRS.search(event) and " it" not in event
        if pattern is _AHEAD:
            return f"how long before {event}" if is_told else "how far in advance"
        return f"how soon after {event}" if is_told else self.random.choice(_SOON)

    def how_much(self) -> Iterator[RuleQuestion]:
        """Ask for an amount or a number, or about one that is below or above it."""
        one = self.clause
        for place, text in (("predicate", one.predicate), ("subject", one.subject)):
            found = quantities(text)
            if len(found) == 1:
                yield from self._of_figure(found[0], text, place=place)
            if found:
                return

    def _of_figure(self, found: Quantity, text: str, *, place: str) -> Iterator[RuleQuestion]:
        start, behind = found.span.char_start, text[found.span.char_end :]
        ahead = f" {text[:start]}"
        if found.kind in {"number", "duration"}:
            limit = _LIMIT.search(ahead[-_NEAR:])
            if limit and place == "predicate":
                before = ahead[: len(ahead[:-_NEAR]) + limit.start()].strip()
                prep = f"{limit['prep'].lower()} " if limit["prep"] else ""
                yield from self._how_many(
                    found, before, behind, how=limit["how"].lower(), prep=prep
                )
            return
        if found.kind not in {"amount", "percentage"} or re.match(r"\s(?:or|and)\b|,", behind):
            return
        for pattern, words, factor in _BOUNDS:
            limit = pattern.search(ahead[-_NEAR:])
            if not limit:
                continue
            before = ahead[: len(ahead[:-_NEAR]) + limit.start()].strip()
            if before.endswith((" but", " and", " or")):
                return
            may_compare = found.kind == "amount" and self.random.random() < _COMPARED
            if may_compare:
                yield from self._compared(found, before, behind, factor, place=place)
            elif found.kind == "amount":
                yield from self._asked_about(f"{words} amount", f"{before}{behind}", place=place)
            elif behind.startswith(" of ") and place == "subject":
                yield from self._asked_about(f"{words} percentage{behind}", before, place=place)
            return

    def _how_many(
        self, found: Quantity, before: str, behind: str, *, how: str, prep: str
    ) -> Iterator[RuleQuestion]:
        one = self.clause
        unit = (
            re.search(r"(?<![a-z])[a-z]++(?<=s)$", found.raw) if found.kind == "duration" else None
        )
        noun = re.match(_NOUN if unit else rf"\s(?:[a-z-]+\s){{0,2}}?[a-z-]+s{_NOUN}", behind)
        is_told = bool(before) and (found.kind == "duration") == bool(unit)
        if one.is_negative or noun is None or not is_told or before.endswith(" of"):
            return
        if one.behind or "," in behind or " and " in behind:
            return
        counted = f"{unit[0] if unit else ''}{noun[0]}".strip()
        end = "at least" if "least" in how or "min" in how or "less" in how else "at most"
        rest = f"{before}{behind[noun.end() :]} {end}"
        yield from self.measured(THRESHOLD, f"{prep}how many {counted}", rest)

    def _asked_about(self, words: str, rest: str, *, place: str) -> Iterator[RuleQuestion]:
        one = self.clause
        if one.is_negative or one.behind or not rest:
            return
        if place == "predicate":
            yield from self.measured(THRESHOLD, words, rest)
        else:
            yield from self.measured(THRESHOLD, words, one.predicate, subject=rest)

    def _compared(
        self, found: Quantity, before: str, behind: str, factor: Decimal, *, place: str
    ) -> Iterator[RuleQuestion]:
        """Ask about a figure of one's own: is it below the limit, or above it?"""
        value = value_of(found)
        if value is None or value[0] < _SMALLEST or not before or self.clause.is_negative:
            return
        rounded = f"{_round(value[0] * factor):,}"
        figure = re.sub(r"\d[\d.,]*(?:\s?(?:k|m|million))?", rounded, found.raw)
        new = f"{before} {'of ' if place == 'subject' else ''}{figure}{behind}"
        if place == "predicate" and not before.endswith(_TRANSITIVE):
            new = f"{before} of {figure}{behind}"
        yield from self.whether_it(kind=THRESHOLD, compares=True, **{place: new})

    def exception(self) -> Iterator[RuleQuestion]:
        """Ask when a rule does not hold, or what has to be so that one may."""
        one = self.clause
        if one.before or " only " in f" {one.predicate} ":
            return
        if one.is_only and one.behind and one.auxiliary in {"may", "can", "is"}:
            yield self.worded(
                EXCEPTION,
                self.random.choice(("under what conditions", "when")),
                one.predicate,
                is_conditional=True,
            )
        elif one.behind.startswith(("unless", "except")):
            if one.is_negative:
                words = self.random.choice(("in what cases", "when"))
                yield self.worded(EXCEPTION, words, one.predicate, is_conditional=True)
            elif one.auxiliary == "must":
                yield self.worded(
                    EXCEPTION, "when", one.predicate, is_conditional=True, is_denied=True
                )

    def what_or_who(self) -> Iterator[RuleQuestion]:
        """Ask what to do in a case, or whose task something is."""
        one = self.clause
        is_duty = one.auxiliary == "must" and not one.predicate.startswith("be ")
        if one.is_negative or one.is_only or not is_duty:
            return
        if one.before:
            if self.is_first and one.before.startswith(("if", "when", "in case")):
                question = f"what do I have to do {mine(one.before)}?"
                yield RuleQuestion(kind=NORM, question=capital(question), is_conditional=True)
        elif not one.behind and _is_role(one.subject) and not THEIRS.search(one.predicate):
            question = f"who has to {one.predicate}?"
            yield RuleQuestion(kind=NORM, question=capital(question), is_conditional=False)

    def whether(self) -> Iterator[RuleQuestion]:
        """Ask whether one may, must or need."""
        if not self.clause.is_only and not self.clause.behind.startswith(("unless", "except")):
            yield from self.whether_it(kind=NORM)


def _event(found: re.Match[str]) -> str:
    named = found.groupdict()
    return named.get("event") or named.get("of") or ""


def _is_role(subject: str) -> bool:
    """Say whether a subject is one person or body by their function."""
    return (
        re.fullmatch(
            r"the (?:[\w&-]+ ){0,4}(?:officer|manager|department|team|board|committee|head|director"
            r"|owner|unit|function|executive|supervisor|administrator|coordinator|controller|auditor)"
            r"(?: of [\w& ]{2,30})?",
            subject,
            re.IGNORECASE,
        )
        is not None
    )


def _round(value: Decimal) -> int:
    """Return a figure as somebody would name it: with two digits that count."""
    whole = int(value)
    size = 10 ** max(len(str(whole)) - 2, 0)
    return max(whole // size * size, 1)

"""Turn a rule into a question: the auxiliary comes first, and whoever asks says "I"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from evals.measuring.drafting.clauses import RuleClause

_YOURS = re.compile(r"\b(?:your|yours|you|yourself)\b", re.IGNORECASE)
_MINE = {"your": "my", "yours": "mine", "you": "I", "yourself": "myself"}
_TO_YOU = re.compile(
    r"\byou(?=$|[,.]|\s(?:to|for|with|by|from|of|on|at|in|about|as|and|or|during|when|if|any|a|an"
    r"|the|through|via|until|before|after)\b)",
    re.IGNORECASE,
)
"""Where somebody is told of, and does nothing."""
THEIRS = re.compile(r"\b(?:they|them|their|theirs|themselves|he|she|his|her|him)\b", re.IGNORECASE)
"""Words that say who is meant elsewhere in a sentence."""
_NOT_WHOLE = re.compile(
    r"\b(?:only|every|daily|weekly|monthly)\b|\b(?:and|or|but|of|with|than|the|an?)(?: at \w+)?$",
    re.IGNORECASE,
)
"""What is left of a rule whose figure was taken out, and has another one or no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleQuestion:
    """A question of a rule."""

    kind: str
    """See `evals.measuring.questions`."""
    question: str
    """As somebody asks it."""
    is_conditional: bool
    """True: a condition or an exception decides."""
    compares: bool = False
    """True: it names a figure that is to be held against the rule's."""


class Inversion:
    """A rule in the order of a question."""

    def __init__(self, clause: RuleClause, random: Random) -> None:
        self.clause = clause
        self.random = random
        said = f"{clause.predicate} {clause.before} {clause.behind}"
        self.is_first = clause.is_people and not THEIRS.search(said)
        self.is_askable = self.is_first or not re.search(r"\byou\b", said, re.IGNORECASE)

    def whether_it(
        self, *, kind: str, compares: bool = False, subject: str = "", predicate: str = ""
    ) -> Iterator[RuleQuestion]:
        """Ask whether it holds, in its case."""
        one = self.clause
        body = self.inverted(predicate or one.predicate, subject=subject)
        case, behind = mine(one.before), mine(one.behind)
        is_case = one.behind.startswith(("if", "when", "where"))
        question = f"{case}, {body}" if case else body
        if is_case and not case:
            question = f"{body} {behind}"
        yield RuleQuestion(
            kind=kind,
            question=f"{capital(question)}?",
            is_conditional=bool(case or behind),
            compares=compares,
        )

    def measured(
        self, kind: str, words: str, predicate: str, *, subject: str = ""
    ) -> Iterator[RuleQuestion]:
        """Ask for a figure that was taken out of a rule; nothing if what is left is not whole."""
        if (
            predicate
            and predicate != "be"
            and not _NOT_WHOLE.search(predicate)
            and (self.clause.before == "")
        ):
            yield self.worded(kind, words, predicate, is_conditional=False, subject=subject)

    def worded(
        self,
        kind: str,
        words: str,
        predicate: str,
        *,
        is_conditional: bool,
        subject: str = "",
        is_denied: bool = False,
    ) -> RuleQuestion:
        """Return a question that begins with "how long" or the like."""
        body = self.inverted(predicate, subject=subject, is_denied=is_denied, is_open=True)
        return RuleQuestion(
            kind=kind,
            question=f"{capital(f'{words} {body}')}?",
            is_conditional=is_conditional,
        )

    def inverted(
        self, predicate: str, *, subject: str = "", is_denied: bool = False, is_open: bool = False
    ) -> str:
        """Return auxiliary, subject and predicate in the order of a question."""
        one = self.clause
        who, does, is_ = (
            subject or one.subject,
            "do" if one.is_plural else "does",
            ("are" if one.is_plural else "is"),
        )
        if self.is_first:
            who, does, is_ = "I", "do", "am"
        who, predicate = mine(who), mine(predicate)
        if one.auxiliary in {"is", "do"}:
            return f"{is_ if one.auxiliary == 'is' else does} {who} {predicate}"
        if one.auxiliary == "must" and not one.is_negative:
            return f"{does} {who}{' not' if is_denied else ''} have to {predicate}"
        if one.auxiliary == "must":
            return self._allowed(who, is_, predicate)
        if one.auxiliary in {"may", "can"} and not is_open:
            return self._allowed(who, is_, predicate)
        return f"{one.auxiliary} {who} {predicate}"

    def _allowed(self, who: str, is_: str, predicate: str) -> str:
        if self.is_first and not predicate.startswith("be "):
            start = self.random.choice(("may I", "can I", "am I allowed to"))
            return f"{start} {predicate}"
        may = self.random.choice(("may", "can"))
        return f"{may} {who} {predicate}"


def mine(text: str) -> str:
    """Say what is told to "you" as who is told says it."""
    text = _TO_YOU.sub("me", re.sub(r"\byou are\b", "I am", text, flags=re.IGNORECASE))
    return _YOURS.sub(lambda found: _MINE[found[0].lower()], text)


def capital(text: str) -> str:
    """Begin a text with a capital."""
    return text[:1].upper() + text[1:]

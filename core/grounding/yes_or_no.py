"""Whether a rule's sentence answers a yes-or-no question with Yes or with No.

"May I ...?", "Is it forbidden to ...?" and "Do I have to ...?" ask for a modality; the sentence has
one. They are held against each other only where both are plain: one question without a negation, an
alternative or a condition of its own, and one modal clause without a condition or an exception that
the question does not name. Everything else is left open.
"""

import re
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise

from core.expressions import expression
from core.grounding.bounds import Bound, bounds
from core.grounding.short_answers import GROUPS
from core.language.content_words import content_words, stem, words
from core.language.jurisdictions import jurisdictions_in
from core.language.modality import ModalClause, Modality, modalities
from core.language.phrasing import phrase, unmarked
from core.language.quantities import Quantity, quantities


class Polarity(StrEnum):
    """The answer to a yes-or-no question."""

    YES = "yes"
    NO = "no"


class AskedModality(StrEnum):
    """What a yes-or-no question asks of an act."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    ADVISED = "advised"


_GREETING = r"(?:\W{0,5}(?:hi|hello|hey|ok|so|and|but|quick\squestion|please|sorry)\b\W{0,5}){0,2}"
_ASKS: tuple[tuple[AskedModality, re.Pattern[str]], ...] = tuple(
    (asked, expression(_GREETING + pattern, re.IGNORECASE))
    for asked, pattern in (
        (
            AskedModality.ADVISED,
            r"should\s(?:i|we|you|they|staff|employees|everyone|everybody)\s\w",
        ),
        (
            AskedModality.FORBIDDEN,
            r"(?:is|are)\s(?:it\s|(?:[\w'-]+\s){1,6}?)"
            r"(?:forbidden|prohibited|banned|disallowed|against\sthe\s(?:rules|policy))\b",
        ),
        (
            AskedModality.REQUIRED,
            r"(?:(?:do|does)\s(?:[\w'-]+\s){1,5}?(?:(?:have|need)\sto|need)\b"
            r"|(?:am|is|are)\s(?:[\w'-]+\s){1,6}?(?:required|obliged|obligated|mandatory|compulsory)\b"
            r"|must\s\w)",
        ),
        (
            AskedModality.ALLOWED,
            r"(?:(?:can|may)\s(?!(?:i|we|you)\s(?:be|get)\b)\w|(?:am|is|are)\s(?:[\w'-]+\s){1,6}?"
            r"(?:allowed|permitted|entitled|acceptable|ok|okay|fine)\b)",
        ),
    )
)
_TWISTED = expression(
    r"\b(?:not|never|no|nor|without|or|instead|only|unless|except|refuse|skip|ignore|avoid|stop)\b"
    r"|n['\u2019]t\b|[?!.;]\s\w",
    re.IGNORECASE,
)
"""What a question has that turns "may I do this?" round, or asks for one of two."""
_SITUATION = expression(
    r"\b(?:if|although|though|because|while|when|before|after|until|still|already|again|even|just"
    r"|always|ever|whether)\b",
    re.IGNORECASE,
)
"""What says when something is done. A prohibition without a condition holds then too."""
_CONDITIONAL = expression(
    r"\b(?:unless|except|excluding|without|only|if|when|where|whether|provided|subject\sto|as\slong"
    r"|other\sthan|until|before|after|once|while|during|in\scase|depending|generally|usually"
    r"|normally|typically|sometimes|occasionally|however|but|although|some|certain|may\sbe\s\w+ed"
    r"|not\sall|or\snot|approv\w+|consent|permission|authori[sz]\w+|appropriate|reasonable"
    r"|anything|something|necessary|possible|discretion|case-by-case|exception\w*|limited|restricted|minimum|minimal|minimi[sz]\w+|reduced?|few(?:er)?|rarely)\b",
    re.IGNORECASE,
)
"""What may hold under a condition: a plain Yes or No would leave it out."""
_NEGATED = expression(
    r"\b(?:not|no|none|never|nobody|neither|nor|cannot)\b|n['\u2019]t\b", re.IGNORECASE
)
_ANYBODY = content_words(
    "all every each any employee employees staff team member members teammate teammates personnel"
    " user users people person everyone everybody anyone anybody individual individuals colleague"
    " colleagues workforce worker workers you it note addition also particular general"
)
"""Words for whoever asks."""
_ASKING = content_words(
    "allowed permitted ok okay fine acceptable entitled forbidden banned obliged worth value"
)
_TIMES = frozenset({"date", "time", "duration", "section"})
"""Quantities that say when something is due, and not what is."""
_RUN = expression(r"[\w' -]+")
_VERB = expression(r"\s?(?:(?:be|also|to)\s)?(\w+)")
_NEEDS = expression(r"\bneed\s(?!to\b)", re.IGNORECASE)
"""A question that names what is needed: a rule that shares the rest is about something else."""
_CONDITIONS_OF_FACTS = expression(
    r"\b(?:unless|except|only|if|when|where|whether|provided|subject\sto|as\slong|until|before|after"
    r"|once|while|during|in\scase|depending|generally|usually|normally|typically|sometimes"
    r"|occasionally|however|but|although|some|certain|partly|appropriate|possible|limited"
    r"|including|other\sthan)\b",
    re.IGNORECASE,
)
_LONGEST = 300
"""Characters of a sentence that is read so; a longer one says many things."""
LEAST_SHARED = 2
"""Words that a question and a rule share at least, if the question has as many."""
_GIVEN = r"(?:approval|consent|permission|authori[sz]ation)"
_APPROVAL = expression(
    r"\b(?:(?:must|shall|(?:has|have|needs?|required)\sto)\s(?:first\s)?"
    r"(?:be\s(?:\w+ly\s)?(?:pre-?)?(?:approved|authori[sz]ed)\b"
    rf"|(?:seek|obtain|get|have|receive|request)\s(?:\w+\s){{0,4}}?{_GIVEN}\b)"
    rf"|requires?\s(?:\w+[\s-]+){{0,4}}?{_GIVEN}\b"
    rf"|{_GIVEN}\s(?:\w+\s){{0,4}}?(?:is|are)\s(?:required|needed|necessary)\b"
    rf"|(?:not|never|no)\b[^.;]{{1,80}}?\bwithout\s(?:\w+\s){{0,4}}?{_GIVEN}\b)",
    re.IGNORECASE,
)
"""How a sentence says that something needs an approval. Of 12 best sentences for "may I ...?" that
it finds in the policies named in `core.agent.reply.verdict`, 11 do; with two shared words all 5."""
_EXCEPTION = expression(
    r"\b(?:unless|except(?:ing)?|other\sthan|with\sthe\sexception\sof)\b", re.IGNORECASE
)
"""What begins an exception."""
_PROVIDED = expression(
    r"\b(?:(?:but\s|and\s)?only|if|when|where|once|provided|subject\sto|(?:as|so)\slong\sas)\b",
    re.IGNORECASE,
)
"""What begins a condition."""
_STATES = expression(
    _GREETING + r"(?:is|are|does|do|will|has|have)\s(?!(?:it|this|that|there)\s(?:ok|okay)\b)\w",
    re.IGNORECASE,
)
"""How a question begins that asks whether something is so."""
_DENIES = expression(
    r"\b(?:not|no|none|never|nobody|neither|nor|cannot|without|unpaid|un(?:able|available))\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_BESIDE = expression(
    r"\b(?:instead|rather|discourag\w+|avoid\w*|exclud\w+|exempt\w*|reserv\w+|either|may|might|could"
    r"|should|optional\w*|plan(?:s|ned)?\sto|example|examples|e\.g)\b",
    re.IGNORECASE,
)
"""What a sentence has that names a thing without saying that it is so."""
_OTHERWISE = expression(
    r"\b(?:unless|except|excluding|if|when|where|only|otherwise|exempt\w*|not\s(?:require|need)\w*)\b",
    re.IGNORECASE,
)
_ANSWERS: dict[tuple[AskedModality, Modality], Polarity] = {
    (AskedModality.ALLOWED, Modality.MAY): Polarity.YES,
    (AskedModality.ALLOWED, Modality.MUST_NOT): Polarity.NO,
    (AskedModality.FORBIDDEN, Modality.MUST_NOT): Polarity.YES,
    (AskedModality.FORBIDDEN, Modality.MAY): Polarity.NO,
    (AskedModality.REQUIRED, Modality.MUST): Polarity.YES,
    (AskedModality.REQUIRED, Modality.NEED_NOT): Polarity.NO,
    (AskedModality.ADVISED, Modality.MUST): Polarity.YES,
    (AskedModality.ADVISED, Modality.SHOULD): Polarity.YES,
    (AskedModality.ADVISED, Modality.MUST_NOT): Polarity.NO,
    (AskedModality.ADVISED, Modality.SHOULD_NOT): Polarity.NO,
}


def asked_of(question: str) -> AskedModality | None:
    """Return what a plain yes-or-no question asks of an act; None: it is none, or not plain."""
    question = " ".join(question.split())
    for asked, pattern in _ASKS:
        if pattern.match(question):
            return None if _TWISTED.search(question.rstrip(" ?!.")) else asked
    return None


def ruled(text: str) -> ModalClause | None:
    """Return the one modal clause of an unconditional text, None if there are more or none.

    A permission or a duty with a negation in it is none: it may turn out to be a prohibition.
    """
    if _CONDITIONAL.search(text) or "|" in text:
        return None
    found = [one for one in modalities(text) if one.modality is not Modality.NONE]
    kinds = {one.modality for one in found}
    if len(kinds) != 1 or any(one.is_subordinate for one in found):
        return None
    is_positive = not kinds & {Modality.MUST_NOT, Modality.NEED_NOT, Modality.SHOULD_NOT}
    return None if is_positive and _NEGATED.search(text) else found[0]


def polarity(
    question: str, sentence: str, lead_in: str | None = None, *, is_found: bool = False
) -> Polarity | None:
    """Return what a sentence, with the lead-in of its list, answers to a question; None: unsure.

    A sum that is asked about must keep within the one up to which the sentence allows something.
    `is_found` says that a reader is sure that the sentence answers: then one common word is enough.
    """
    asked = asked_of(question)
    text = said(sentence, lead_in)
    clause = ruled(text) if asked else None
    if asked is None or clause is None or not _keeps(question, text, clause.modality):
        return None
    return _answered(asked, question, text, clause, is_found=is_found)


def _answered(
    asked: AskedModality, question: str, text: str, clause: ModalClause, *, is_found: bool = False
) -> Polarity | None:
    is_loose = is_found and (
        asked is not AskedModality.ADVISED or clause.modality is Modality.MUST_NOT
    )
    is_about = is_loose and _is_for_anybody(question, text, clause)
    if not (is_about or covers(question, text, clause)) or narrows(question, text, clause):
        return None
    is_general = clause.modality in {Modality.MUST_NOT, Modality.NEED_NOT}
    if _SITUATION.search(question) and not is_general and not _names_all(question, text):
        return None
    return _ANSWERS.get((asked, clause.modality))


def states(question: str, sentence: str, lead_in: str | None = None) -> Polarity | None:
    """Return whether a sentence says that what is asked is so; None: it leaves that open.

    It has every word of the question, no condition, and at most one negation.
    """
    text = said(sentence, lead_in)
    asked = _words(question)
    is_plain = _STATES.match(question) and not _TWISTED.search(question.rstrip(" ?!."))
    if not is_plain or _SITUATION.search(question) or quantities(question) or asked_of(question):
        return None
    if len(asked) < LEAST_SHARED or not asked <= content_words(text) or "|" in text:
        return None
    denials = len(_DENIES.findall(text))
    if len(text) > _LONGEST or _CONDITIONS_OF_FACTS.search(text) or _BESIDE.search(text):
        return None
    if denials > 1 or (set(jurisdictions_in(text)) - set(jurisdictions_in(question))):
        return None
    return Polarity.NO if denials else Polarity.YES


def qualified(
    question: str, sentence: str, lead_in: str | None = None
) -> tuple[Polarity, str] | None:
    """Return what a sentence answers that holds with exceptions, or under conditions.

    The second value says which of the two: "exceptions" or "conditions". What the question names
    itself may be just that exception, so nothing is said then.
    """
    asked, text = asked_of(question), said(sentence, lead_in)
    if asked is None or _SITUATION.search(question) or len(text) > _LONGEST:
        return None
    for kind, pattern in (("exceptions", _EXCEPTION), ("conditions", _PROVIDED)):
        found = pattern.search(text)
        if found is None:
            continue
        rule, rest = _parted(text, found)
        clause = ruled(rule)
        if clause is None or _words(question) & (content_words(rest) - content_words(rule)):
            return None
        if not _keeps(question, text, clause.modality):
            return None
        answer = _answered(asked, question, rule, clause)
        may_have = kind == "exceptions" or clause.modality is Modality.MAY
        return (answer, kind) if answer and may_have else None
    return None


def _parted(text: str, found: re.Match[str]) -> tuple[str, str]:
    """Return a sentence without its exception or condition, and that."""
    if found.start():
        return text[: found.start()].rstrip(" ,"), text[found.start() :]
    rest, _, rule = text.partition(",")
    return rule.strip(), rest


def needs_approval(question: str, sentence: str, lead_in: str | None = None) -> bool:
    """Say whether a sentence allows what a question asks for with an approval alone."""
    text = said(sentence, lead_in)
    found = _APPROVAL.search(text) if asked_of(question) is AskedModality.ALLOWED else None
    if found is None or "|" in text or quantities(question) or bounds(text):
        return False
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    is_plain = not _OTHERWISE.search(rest) and not _NEGATED.search(rest)
    return is_plain and len(_words(question) & content_words(text)) >= LEAST_SHARED


def said(sentence: str, lead_in: str | None = None) -> str:
    """Return a sentence without markup, behind what introduces its list."""
    return f"{unmarked(lead_in)} {phrase(sentence)}" if lead_in else phrase(sentence)


def covers(question: str, text: str, clause: ModalClause | None) -> bool:
    """Say whether a text is about what a question asks, for whoever asks it.

    A permission must name everything that the question names, since what it leaves out may be
    forbidden elsewhere; of another rule two of its words are enough.
    """
    asked = _words(question)
    shared = asked & content_words(text)
    least = LEAST_SHARED
    if (clause is not None and clause.modality is Modality.MAY) or _NEEDS.search(question):
        least = len(asked)
    if not asked or len(shared) < min(len(asked), least):
        return False
    if clause is None:
        return True
    subject = clause.subject.of(text) if clause.subject else ""
    trigger = clause.trigger or clause.span
    subject = f"{subject} {text[clause.span.char_start : trigger.char_start]}"
    bound = content_words(subject) - _ANYBODY
    return not bound or bool(bound & asked)


def _is_for_anybody(question: str, text: str, clause: ModalClause) -> bool:
    """Say whether a rule that is known to answer names no group and no country but the asked."""
    is_rule = clause.modality is not Modality.MAY and not _NEEDS.search(question)
    others = (content_words(text) & GROUPS) - content_words(question)
    abroad = set(jurisdictions_in(text)) - set(jurisdictions_in(question))
    return is_rule and not others and not abroad and bool(_words(question) & content_words(text))


def _names_all(question: str, text: str) -> bool:
    return _words(question) <= content_words(text)


def narrows(question: str, text: str, clause: ModalClause) -> bool:
    """Say whether a text speaks of less than the question ("cash gifts" where it says "gifts").

    The verb of a rule narrows nothing: "must not accept gifts" also answers who would take one.
    """
    asked = _words(question)
    verb = _VERB.match(text, clause.trigger.char_end) if clause.trigger else None
    parts = [text[: verb.start(1)], text[verb.end(1) :]] if verb else [text]
    return any(
        stem(second) in asked and content_words(first) - _ANYBODY - asked
        for part in parts
        for run in _RUN.findall(part)
        for first, second in pairwise(words(run))
    )


def _words(question: str) -> frozenset[str]:
    """Return what a question is about, without its figures and without how it asks."""
    for one in reversed(quantities(question)):
        question = f"{question[: one.span.char_start]} {question[one.span.char_end :]}"
    return content_words(question) - _ASKING


def _keeps(question: str, text: str, modality: Modality) -> bool:
    """Say whether no sum, share or number makes a difference, or the asked one keeps within it."""
    asked = quantities(question)
    limits = [one for one in bounds(text) if one.quantity.kind not in _TIMES]
    if not limits:
        return not asked
    if modality is not Modality.MAY or len(limits) > 1 or limits[0].bound is not Bound.AT_MOST:
        return False
    limit = limits[0].quantity
    return all(one.kind == limit.kind == "amount" and _within(one, limit) for one in asked)


def _within(one: Quantity, limit: Quantity) -> bool:
    (unit, _, value), (other, _, most) = (
        one.canonical.partition(" "),
        limit.canonical.partition(" "),
    )
    return unit == other and Decimal(value) <= Decimal(most)

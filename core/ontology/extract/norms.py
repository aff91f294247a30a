"""Obligations, prohibitions, permissions and exceptions, with actor, action and condition."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.domain.ontology import EntityType
from core.language.lead_ins import ends_in_colon
from core.language.modality import ModalClause, Modality
from core.language.sentences import is_cut_off
from core.language.spans import TextSpan
from core.ontology.extract.acts import act_and_condition, action_of, limit_of, subject_of, tidy
from core.ontology.extract.clauses import FRONTED, actor_of, main_clauses, without_brackets
from core.ontology.extract.exemptions import exception_in
from core.ontology.extract.not_binding import binds, is_which
from core.ontology.extract.roles import RoleMention, find_roles
from core.ontology.extract.statements import Statement

NORM_TYPES: Mapping[Modality, EntityType] = {
    Modality.MUST: EntityType.OBLIGATION,
    Modality.SHOULD: EntityType.OBLIGATION,
    Modality.MUST_NOT: EntityType.PROHIBITION,
    Modality.SHOULD_NOT: EntityType.PROHIBITION,
    Modality.MAY: EntityType.PERMISSION,
    Modality.NEED_NOT: EntityType.PERMISSION,
}
"""The type of norm that each modality makes."""
_CASE = re.compile(
    r"(?:if|when|whenever|unless|once|in the event|provided that)\b[^,]*,", re.IGNORECASE
)
"""For an item that says when its act is due ("if they are ill, stay at home")."""
_NOTHING_YET = re.compile(
    r"(?:\b(?:must|shall|may|can|should|cannot|not|never|to)|n['\u2019]t)\W*(?:(?:and|or"
    r"|but)\W*)?\Z",
    re.IGNORECASE,
)
"""A modal verb whose act stands behind the next one ("we cannot and do not allow")."""
_NONE = re.compile(
    r"^\W*(?:no(?![,.:;!]|\s+(?:later|more|less|fewer|longer|sooner|matter)\b)|none|nobody"
    r"|neither)\b",
    re.IGNORECASE,
)
"""A subject of which nothing is allowed ("no messages of this kind shall be sent")."""
_OPENS_CONDITIONS = re.compile(
    r"\b(?:unless|only (?:if|when|where)|if|provided that)"
    r"(?:\b[^.,;]{0,80}\b(?:following|these|either|both|below|met|fulfilled|satisfied|appl(?:y|ies)"
    r"|true|conditions?|criteria|cases?|circumstances|by|that|the|is|are|was|has|have|you|they|we"
    r"|it))?$",
    re.IGNORECASE,
)
"""The end of a lead-in after which each item is a condition ("unless all of these are met:")."""
_OF_WHICH_THING = re.compile(
    r"\A\W*(?!(?:if|when|where|once|unless|while|before|after|note|please|ensure|remember)\b)"
    r"[A-Za-z][a-z]+\s(?:[\w'\u2019-]+\s){0,8}?(?!(?:if|when|that|and|but|or|because|so|then|as"
    r"|until|unless|before|after|note|ensure|remember|understand|agree|acknowledge|confirm|believe"
    r"|think|say|means|know|where|while|once)\s)[a-z]+\s"
    r"(?:they|you|we|he|she|it|(?:your|our|their|his|her)\s[\w-]+)\s(?:(?:are|is|will)\s)?\Z",
    re.IGNORECASE,
)
"""Before a verb of a clause that no word marks, in an item ("access systems they")."""
_EXAMPLE = re.compile(
    r"\W*(?:an example|examples?\b|for example|for instance|e\.g\.|imagine|suppose"
    r"|let['\u2019]s say)",
    re.IGNORECASE,
)
_ANY_ONE = re.compile(r"\b(?:any|either|one)\b", re.IGNORECASE)
"""In a lead-in, where one of its items is enough ("unless one of these is met")."""
_POINTS_BACK = re.compile(r"(?:such|these|those)(?:\s[\w-]+)?", re.IGNORECASE)
"""What is forbidden elsewhere in the text, and says nothing by itself ("such payments")."""
_DEFINING = re.compile(
    r"^[\"\u201c][^\"\u201d]+[\"\u201d] (?:means?|refers? to|includes?)\b", re.IGNORECASE
)
_FREED = re.compile(
    r"\bapply to\b[^.;]{0,80}|[^.;]{0,60}\b(?:is|are) exempt(?:ed)?\b|\bexempts?\b[^.;]{0,60}",
    re.IGNORECASE,
)
_OWN_VERB = re.compile(
    r"\A(?:[\w -]{1,20}:\s)?[\w\s'\u2019-]{0,60}\b(?:will|won['\u2019]t)\b", re.IGNORECASE
)
"""In an item: a sentence of its own, which its lead-in does not end ("must: ... IT will pay")."""
_JOINED = re.compile(r"\band\b[^,;]{0,60}\Z", re.IGNORECASE)
_BASE_VERBS = frozenset({"recommend", "permit", "allow", "require", "need", "expect"})
"""At the beginning of an item these are the act ("you may not: ... recommend it to others")."""
_ABOUT = re.compile(r"\b(?:of|about|on|how|what)$", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_AND_IF = re.compile(
    r",?\s(?:and|but)\s(?=(?:if|when|whenever|where|once|unless|in case)\b[^,]*,?\s*\Z)",
    re.IGNORECASE,
)
"""At the end of a clause, before the condition of the next ("and if you are ill, you must")."""
_SAYS_NOTHING = re.compile(
    r"(?:this|it|that|these|those|they|there|you|we|he|she)?\W*(?:,\s*but\b.*)?", re.IGNORECASE
)
"""An act that is only pointed to ("this is not required")."""
_LABEL = re.compile(r"^[A-Z][\w &/,'\u2019()-]{2,60}:\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """One rule of a statement."""

    type: EntityType
    """Obligation, prohibition, permission or exception."""
    modality: Modality
    """As stated ("should" is weaker than "must"); NONE for an exception."""
    actor: RoleMention | None
    """Who it binds; None if the text does not say."""
    action: str
    """What is required, forbidden or allowed."""
    condition: str
    """When; empty if always."""
    sentence: str
    """The whole sentence, with its lead-in."""
    clause: TextSpan | None = None
    """Where it stands in the statement's words; None: what the whole statement says."""
    is_of_lead_in: bool = False
    """True for an exception that what introduces a list makes for all its items."""


def norms_of(statement: Statement, known: Mapping[str, str]) -> tuple[Norm, ...]:
    """Return the norms of a statement, at most one of each type."""
    if statement.kind == "row" or _DEFINING.match(statement.words):
        return ()
    if ends_in_colon(statement.words) or is_cut_off(statement.words):
        return ()
    if _EXAMPLE.match(statement.words):
        return ()
    found: dict[EntityType, Norm] = {}
    for norm in (*_modal(statement, known), *_exceptions(statement, known)):
        found.setdefault(norm.type, norm)
    return tuple(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What of a statement is read for rules."""

    text: str
    """Its words, or those after what introduces it."""
    clauses: list[ModalClause]
    """The main clauses of that text that may be rules."""
    is_inherited: bool = False
    """True where what introduces it makes a rule of it."""
    case: re.Match[str] | None = None
    """In the statement's own words: when its act is due."""


def _modal(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield a norm for each main clause that has a modal expression."""
    reading = _reading(statement)
    for clause in reading.clauses:
        norm = _norm(statement, reading, clause, known)
        if norm is not None:
            yield norm


def _reading(statement: Statement) -> _Reading:
    text = _LABEL.sub("", statement.words, count=1)
    clauses = main_clauses(text)
    lead_in = statement.lead_in_words
    if lead_in and all(_is_of_a_noun(text, clause) for clause in clauses):
        clauses = []
    is_own = bool(clauses) and _CASE.match(text) is not None
    if _OPENS_CONDITIONS.search(lead_in) and not is_own:
        whole = statement.sentence
        return _Reading(text=whole, clauses=_begun_by(whole, len(lead_in) + 1), is_inherited=True)
    if not clauses and lead_in and not _OWN_VERB.search(text):
        whole = _introduced(statement)
        return _Reading(
            text=whole,
            clauses=_begun_by(whole, len(whole) - len(statement.words)),
            is_inherited=True,
            case=_CASE.match(without_brackets(statement.words)),
        )
    return _Reading(text=text, clauses=clauses)


def _begun_by(text: str, end: int) -> list[ModalClause]:
    """Return the last main clause whose modal expression begins before an offset, if any."""
    clauses = [one for one in main_clauses(text) if one.trigger and one.trigger.char_start < end]
    return clauses[-1:]


def _norm(
    statement: Statement, reading: _Reading, clause: ModalClause, known: Mapping[str, str]
) -> Norm | None:
    """Return the norm of a clause; None if it binds nobody."""
    if clause.trigger is None:
        return None
    text, case = reading.text, reading.case
    subject, trigger = subject_of(text, clause), clause.trigger.of(text)
    after = _after(reading, clause)
    actor = actor_of(subject, trigger, after, statement.lead_in_words, known)
    if _NOTHING_YET.search(f"{trigger}{after}") or not binds(
        clause.modality,
        ahead=text[: clause.trigger.char_start],
        subject=subject,
        trigger=trigger,
        after=after,
        has_actor=actor is not None,
    ):
        return None
    force = _force(clause.modality, subject, trigger)
    if case:
        after = after[: len(after) - len(statement.words)] + statement.words[case.end() :].lstrip()
    is_whole = _ONLY.search(trigger) is not None or _is_object(statement, reading)
    done, condition = (after, "") if is_whole else act_and_condition(subject, after)
    condition = condition or _shared_case(reading, clause)
    told = actor
    if actor is not None and not is_whole:
        limit = limit_of(subject, actor, known)
        condition = condition or limit
        told = None if limit and condition != limit else actor
    action = action_of(subject, trigger, done, told)
    if _points_elsewhere(NORM_TYPES[force], action, actor):
        return None
    return Norm(
        type=NORM_TYPES[force],
        modality=force,
        actor=actor,
        action=action,
        condition=tidy(statement.words[: case.end()] if case else condition),
        sentence=statement.sentence,
        clause=None if reading.is_inherited else _within(statement.words, text, clause.span),
    )


def _shared_case(reading: _Reading, clause: ModalClause) -> str:
    """Return the case that a sentence begins with, for a rule joined to the first one by "and"."""
    place = next(at for at, one in enumerate(reading.clauses) if one is clause)
    before = reading.clauses[place - 1].trigger if place and not reading.is_inherited else None
    if before is None or clause.trigger is None:
        return ""
    between = reading.text[before.char_end : clause.trigger.char_start]
    case = FRONTED.match(without_brackets(reading.text)) if _JOINED.search(between) else None
    return reading.text[: case.end()] if case else ""


def _is_object(statement: Statement, reading: _Reading) -> bool:
    """Return whether an item is what its introduction is about ("a log of: when you left")."""
    return reading.is_inherited and _ABOUT.search(statement.lead_in_words) is not None


def _after(reading: _Reading, clause: ModalClause) -> str:
    """Return what a clause says behind its modal expression, with the "only" of that."""
    if clause.trigger is None:
        return ""
    text = reading.text
    end = len(text) if reading.is_inherited else clause.span.char_end
    after = text[clause.trigger.char_end : end]
    next_case = _AND_IF.search(after) if clause is not reading.clauses[-1] else None
    if next_case:
        after = after[: next_case.start()]
    return f" only{after}" if _ONLY.search(clause.trigger.of(text)) else after


def _force(modality: Modality, subject: str, trigger: str) -> Modality:
    """Return what a clause makes of its act, with its subject ("no messages shall")."""
    if modality is Modality.MUST and _NONE.match(subject):
        return Modality.MUST_NOT
    if modality is Modality.MUST_NOT and trigger.casefold().endswith("should"):
        return Modality.SHOULD_NOT
    return modality


def _points_elsewhere(type_: EntityType, action: str, actor: RoleMention | None) -> bool:
    """Return whether an act is only pointed to ("this is not required", "such payments")."""
    if type_ is EntityType.PERMISSION:
        return _SAYS_NOTHING.fullmatch(action) is not None
    is_forbidden = type_ is EntityType.PROHIBITION and actor is None
    return is_forbidden and _POINTS_BACK.fullmatch(action) is not None


def _is_of_a_noun(text: str, clause: ModalClause) -> bool:
    """Return whether a verb in an item only says which thing is meant ("rooms they may use")."""
    if clause.trigger is None:
        return False
    ahead = text[: clause.trigger.char_start]
    if clause.trigger.of(text).casefold() in _BASE_VERBS and not ahead.strip(" (\"'"):
        return True
    behind = text[clause.trigger.char_end : clause.span.char_end]
    return _OF_WHICH_THING.search(ahead) is not None or is_which(
        clause.trigger.of(text), ahead=ahead, after=behind
    )


def _introduced(statement: Statement) -> str:
    """Return a statement after what makes a rule of it, and not after all that stands above."""
    said = statement.introductions
    start = next((at for at in reversed(range(len(said))) if main_clauses(said[at])), 0)
    return " ".join((*said[start:], statement.words))


def _within(words: str, text: str, span: TextSpan) -> TextSpan:
    """Return the span of a clause in the whole words, of which the text is the end."""
    label = len(words) - len(text)
    return TextSpan(char_start=span.char_start + label, char_end=span.char_end + label)


def _exceptions(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield the exception of a statement, its own before that of what introduces it."""
    lead_in = statement.lead_in_words
    goes_on = not lead_in or _OPENS_CONDITIONS.search(lead_in) is not None
    if goes_on and lead_in and not _ANY_ONE.search(lead_in):
        return  # each must be met: one alone frees from nothing
    own = exception_in(statement.sentence if goes_on else statement.words)
    above = None if goes_on or own else exception_in(lead_in)
    found = own or above or (None if goes_on else exception_in(statement.sentence))
    if found is None:
        return
    freed = _FREED.search(found.action)
    roles = find_roles(freed[0], known) if freed else ()
    yield Norm(
        type=EntityType.EXCEPTION,
        modality=Modality.NONE,
        actor=roles[0] if roles else None,
        action=tidy(found.action),
        condition=tidy(found.case),
        sentence=lead_in if found is above else statement.sentence,
        is_of_lead_in=found is above,
    )

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
from core.ontology.extract.clauses import FRONTED, actor_of, without_brackets
from core.ontology.extract.exemptions import exception_in
from core.ontology.extract.not_binding import binds
from core.ontology.extract.readings import (
    ONLY,
    OPENS_CONDITIONS,
    StatementReading,
    is_object,
    reading_of,
    words_after,
)
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
_NOTHING_YET = re.compile(
    r"(?:\b(?:must|shall|may|can|should|cannot|not|never|to)|n['\u2019]t)\W*(?:(?:and|or"
    r"|but)\W*)?\Z",
    re.IGNORECASE,
)
"""A modal verb whose act stands behind the next one ("we cannot and do not allow")."""
_CUT = re.compile(r"\W*(?:or|nor)\s", re.IGNORECASE)
"""A subject that has lost its beginning."""
_ONE_OF = re.compile(
    r"(?<!if )(?<!when )\b(?:one|any|either)(?: or more)? of (?:the|these)\b", re.IGNORECASE
)
_CONCLUSIONS = re.compile(
    r"\b(?:following|these) (?:\w+ )?(?:conclusions|outcomes|results|findings|statements"
    r"|questions)$",
    re.IGNORECASE,
)
"""The end of a lead-in whose items are what somebody may find."""
_STEPS = re.compile(
    r"\b(?:following|these|this|below)\s(?:[\w-]+\s){0,2}(?:process|steps?|procedures?|workflow)$",
    re.IGNORECASE,
)
"""The end of a lead-in that allows something: its items are how it is done."""
_NONE = re.compile(
    r"^\W*(?:no[ -]one|no(?![,.:;!]|\s+(?:later|more|less|fewer|longer|sooner|matter)\b)|none"
    r"|nobody|neither|nothing)\b",
    re.IGNORECASE,
)
"""A subject of which nothing is allowed ("no messages of this kind shall be sent")."""
_EXAMPLE = re.compile(
    r"\W*(?:an example|examples?\b|for example|for instance|e\.g\.|imagine|suppose"
    r"|let['\u2019]s say)",
    re.IGNORECASE,
)
_UNENDED = re.compile(r"\b(?:any|an?|the|following)\W*$|\b(?:of|by|with)[,;\s]*$", re.IGNORECASE)
"""The end of what only introduces a list, without a colon ("must not be used for any;")."""
_ANY_ONE = re.compile(r"\b(?:any|either|one)\b", re.IGNORECASE)
"""In a lead-in, where one of its items is enough ("unless one of these is met")."""
_JUST_JOINS = re.compile(r"\W*(?:and|or|but)(?:\s(?:will|shall|also|\w+ly))*\W*", re.IGNORECASE)
_POINTS_BACK = re.compile(r"(?:such|these|those)(?:\s[\w-]+)?", re.IGNORECASE)
"""What is forbidden elsewhere in the text, and says nothing by itself ("such payments")."""
_DEFINING = re.compile(
    r"^[\"\u201c][^\"\u201d]+[\"\u201d] (?:means?|refers? to|includes?)\b", re.IGNORECASE
)
_FREED = re.compile(
    r"\bapply to\b[^.;]{0,80}|[^.;]{0,60}\b(?:is|are) exempt(?:ed)?\b|\bexempts?\b[^.;]{0,60}",
    re.IGNORECASE,
)
_TOLD = r"(?:report|notify|inform|tell|alert|escalate|disclose)"
_ORDERED = re.compile(
    rf"\W*(?:(?P<case>(?:if|when)\b[^,]{{3,160}}),\s(?:please\s|immediately\s)?(?:{_TOLD}|contact|call)"
    rf"|(?:please\s|always\s|immediately\s|promptly\s)?{_TOLD})\b"
    r"(?!\s(?:\w+\s){0,3}(?:is|are|was|were|has|have)\b)(?=[^:]*$)",
    re.IGNORECASE,
)
"""How a sentence begins that orders a report ("Notify your supervisor of the date")."""
_JOINED = re.compile(r"\band\b[^;]{0,80}\Z", re.IGNORECASE)
_AND_DUTY = re.compile(
    r",?\s(?:and|but)\s(?:will|shall|must|should|do not|instead)\s", re.IGNORECASE
)
"""After what is forbidden, before a duty ("not leave papers, and will lock screens")."""
_BEGINNING = 24
_MAY = frozenset({"may", "can", "may only", "can only"})
_FIRST_ONLY = re.compile(r"\s*only\b", re.IGNORECASE)
_CONJUNCTION = re.compile(r"^\W*(?:and|or|but|nor)\s", re.IGNORECASE)
_DEMANDED = re.compile(r"\b(?:expected|required|obliged)\b", re.IGNORECASE)
_NONE_OF_IT = re.compile(r"^(?:no[ -]one|nobody|none of|neither|no)\s", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r";|[.!?](?=\s+[A-Z(\"\u201c]|\s*$)")
_SAYS_NOTHING = re.compile(
    r"(?:this|it|that|these|those|they|there|you|we|he|she)?\W*(?:,\s*but\b.*)?", re.IGNORECASE
)
"""An act that is only pointed to ("this is not required")."""


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
    if _EXAMPLE.match(statement.words) or _UNENDED.search(statement.words):
        return ()
    found: dict[EntityType, Norm] = {}
    for norm in (*_modal(statement, known), *_exceptions(statement, known)):
        found.setdefault(norm.type, norm)
    ordered = None if found else _ordered(statement)
    return tuple(found.values()) if ordered is None else (ordered,)


def _ordered(statement: Statement) -> Norm | None:
    """Return the duty of a sentence that orders a report without a modal verb."""
    order = _ORDERED.match(statement.words)
    if order is None:
        return None
    is_request = "please" in order[0].casefold()
    return Norm(
        type=EntityType.OBLIGATION,
        modality=Modality.SHOULD if is_request else Modality.MUST,
        actor=None,
        action=tidy(statement.words),
        condition=tidy(order["case"] or ""),
        sentence=statement.sentence,
    )


def _modal(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield a norm for each main clause that has a modal expression."""
    reading = reading_of(statement)
    norms: list[Norm] = []
    end = len(reading.text)
    for clause in reversed(reading.clauses):
        rest = "" if reading.is_inherited else _rest(reading.text[clause.span.char_end : end])
        norm = _norm(statement, reading, clause, known, rest=rest)
        if norm is not None:
            norms.append(norm)
            end = clause.span.char_start
    yield from reversed(norms)


def _rest(text: str) -> str:
    """Return what of the words behind a clause, up to the next rule, goes on with its act."""
    end = _SENTENCE_ENDS.search(text)
    return text[: end.start()] if end else text


def _norm(
    statement: Statement,
    reading: StatementReading,
    clause: ModalClause,
    known: Mapping[str, str],
    *,
    rest: str,
) -> Norm | None:
    """Return the norm of a clause; None if it binds nobody.

    Args:
        statement: What is read.
        reading: The words of it that are.
        clause: One of its clauses.
        known: Abbreviations of roles.
        rest: What follows the clause, and is no rule of its own: it goes on with the act.
    """
    if clause.trigger is None:
        return None
    text, case = reading.text, reading.case
    subject, trigger = subject_of(text, clause), clause.trigger.of(text)
    after = words_after(reading, clause)
    lead_in = statement.lead_in_words
    if not reading.is_inherited and subject.strip():
        lead_in = ""  # it has a subject of its own
    actor = actor_of(subject, trigger, after, lead_in, known)
    is_whole_clause = not (_NOTHING_YET.search(f"{trigger}{after}") or _CUT.match(subject))
    if not is_whole_clause or not binds(
        clause.modality,
        ahead=text[: clause.trigger.char_start],
        subject=subject,
        trigger=trigger,
        after=after,
        has_actor=actor is not None,
    ):
        return None
    force = _force(clause.modality, subject, trigger, after)
    if _is_no_rule_alone(statement, NORM_TYPES[force], is_inherited=reading.is_inherited):
        return None
    if case:
        after = after[: len(after) - len(statement.words)] + statement.words[case.end() :].lstrip()
    after, rest = _without_duty(NORM_TYPES[force], after, rest)
    is_whole = ONLY.search(trigger) is not None or is_object(statement, reading)
    done, condition = f"{after}{rest}", ""
    if not is_whole:
        done, condition = _act_and_condition(statement, reading, subject, after, rest)
    condition = condition or _shared_case(reading, clause)
    told = actor
    if actor is not None and not is_whole:
        limit = limit_of(subject, actor, known)
        condition = condition or limit
        told = None if limit and condition != limit else actor
    action = action_of(_whole_subject(reading, clause, subject), trigger, done, told)
    if force is not clause.modality and clause.modality is not Modality.MAY:
        action = _NONE_OF_IT.sub("", action)  # "no part may" forbids a part, not none
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


def _without_duty(type_: EntityType, after: str, rest: str) -> tuple[str, str]:
    """Return the words of what is forbidden without those of a duty that follows them."""
    duty = _AND_DUTY.search(after) if type_ is EntityType.PROHIBITION else None
    return (after[: duty.start()], "") if duty else (after, rest)


def _act_and_condition(
    statement: Statement, reading: StatementReading, subject: str, after: str, rest: str
) -> tuple[str, str]:
    """Return what is to be done, and when, with what goes on after it."""
    done, condition = act_and_condition(subject, after)
    if reading.is_inherited and condition and statement.words.startswith(condition[:_BEGINNING]):
        return f"{after}{rest}", ""  # the item begins so: the rest of it is what is to be done
    if condition and after.rstrip().endswith(condition.rstrip()):
        return done, f"{condition}{rest}"
    return f"{done}{rest}", condition


def _is_no_rule_alone(statement: Statement, type_: EntityType, *, is_inherited: bool) -> bool:
    """Return whether an item alone is no rule.

    It is a finding, a step of what is allowed, or one way of several.
    """
    if _CONCLUSIONS.search(statement.lead_in_words):
        return True
    if not is_inherited:
        return False
    if type_ is EntityType.PERMISSION:
        return _STEPS.search(statement.lead_in_words) is not None
    is_one_of = statement.is_alternative or _ONE_OF.search(statement.lead_in_words) is not None
    return type_ is EntityType.OBLIGATION and is_one_of


def _whole_subject(reading: StatementReading, clause: ModalClause, subject: str) -> str:
    """Return the subject of a clause, also where it is that of the one before ("and must not")."""
    if not _JUST_JOINS.fullmatch(subject):
        return subject
    place = next(at for at, one in enumerate(reading.clauses) if one is clause)
    shared = subject_of(reading.text, reading.clauses[place - 1]) if place else ""
    return shared or subject


def _shared_case(reading: StatementReading, clause: ModalClause) -> str:
    """Return the case that a sentence begins with, for a rule joined to the first one by "and"."""
    place = next(at for at, one in enumerate(reading.clauses) if one is clause)
    before = reading.clauses[place - 1].trigger if place and not reading.is_inherited else None
    if before is None or clause.trigger is None:
        return ""
    between = reading.text[before.char_end : clause.trigger.char_start]
    case = FRONTED.match(without_brackets(reading.text)) if _JOINED.search(between) else None
    return reading.text[: case.end()] if case else ""


def _force(modality: Modality, subject: str, trigger: str, after: str) -> Modality:
    """Return what a clause makes of its act, with its subject ("no messages shall")."""
    if _NONE.match(_CONJUNCTION.sub("", subject.rpartition(", but ")[2])):
        if _DEMANDED.search(trigger):
            return Modality.NEED_NOT  # "no one is expected to"
        opposite = {Modality.MUST: Modality.MUST_NOT, Modality.SHOULD: Modality.SHOULD_NOT}
        return opposite.get(modality, modality)
    if modality is Modality.MUST_NOT and trigger.casefold().endswith("should"):
        return Modality.SHOULD_NOT
    if modality is Modality.MAY and trigger.casefold() in _MAY and _FIRST_ONLY.match(after):
        return Modality.MUST  # "may only be used for" allows nothing that is not allowed already
    return modality


def _points_elsewhere(type_: EntityType, action: str, actor: RoleMention | None) -> bool:
    """Return whether an act is only pointed to ("this is not required", "such payments")."""
    if type_ is EntityType.PERMISSION:
        return _SAYS_NOTHING.fullmatch(action) is not None
    is_forbidden = type_ is EntityType.PROHIBITION and actor is None
    return is_forbidden and _POINTS_BACK.fullmatch(action) is not None


def _within(words: str, text: str, span: TextSpan) -> TextSpan:
    """Return the span of a clause in the whole words, of which the text is the end."""
    label = len(words) - len(text)
    return TextSpan(char_start=span.char_start + label, char_end=span.char_end + label)


def _exceptions(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield the exception of a statement, its own before that of what introduces it."""
    lead_in = statement.lead_in_words
    goes_on = not lead_in or OPENS_CONDITIONS.search(lead_in) is not None
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

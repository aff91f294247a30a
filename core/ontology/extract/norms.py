"""Obligations, prohibitions, permissions and exceptions, with actor, action and condition."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.domain.ontology import EntityType
from core.language.lead_ins import ends_in_colon
from core.language.modality import ModalClause, Modality
from core.language.sentences import is_cut_off
from core.language.spans import TextSpan
from core.language.text_cache import word_pattern
from core.ontology.extract.actors import actor_of, after_case, bound_by
from core.ontology.extract.acts import UNTOLD, parts_of, subject_of, tidy
from core.ontology.extract.exemptions import exception_in
from core.ontology.extract.not_binding import binds
from core.ontology.extract.readings import (
    OPENS_CONDITIONS,
    StatementReading,
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
    r"(?<!if )(?<!when )\b(?:one|two|three|any|either)(?: or more)? of (?:the|these)\b",
    re.IGNORECASE,
)
_CONCLUSIONS = re.compile(
    r"\b(?:following|these) (?:\w+ )?(?:conclusions|outcomes|results|findings|statements"
    r"|questions)$",
    re.IGNORECASE,
)
"""The end of a lead-in whose items are what somebody may find."""
_GUIDELINES = re.compile(
    r"\b(?:guidelines?|rules|principles|standards|tips|polic(?:y|ies))$", re.IGNORECASE
)
"""The end of a lead-in whose items are rules; one of few words is a heading among them."""
_HEADING_WORDS = 3
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
_UNENDED = re.compile(
    r"\b(?:any|an?|the|following)\W*$|\b(?:of|by|with|then)[,;\s]*$", re.IGNORECASE
)
"""The end of what only introduces a list, without a colon ("must not be used for any;")."""
_AT_END = 24
"""Characters in which such an end is looked for."""
_ANY_ONE = re.compile(
    r"\b(?:unless|if|when|where|provided|except)\b[^.;]{0,40}\b(?:any|either|one)\b", re.IGNORECASE
)
"""In a lead-in, where one of its items is enough ("unless one of these is met")."""
_NOTHING = re.compile(
    r"\s*(?!(?:be|do|ensure|make|see|show|say|confirm|state|find)\b)[a-z]+\s(?:nothing|nobody"
    r"|no[ -]one|no(?!\s(?:later|more|less|fewer|longer|sooner|matter|doubt)\b))\b",
    re.IGNORECASE,
)
"""After "must" or "should": an act without an object, which so is forbidden ("accept nothing")."""
_ENTITLED = re.compile(
    r"\s*(?:\w+ly )?be (?:entitled|eligible|allowed|permitted|free)\b", re.IGNORECASE
)
"""After "shall": a right."""
_OPPOSITE = {Modality.MUST: Modality.MUST_NOT, Modality.SHOULD: Modality.SHOULD_NOT}
_POINTS_BACK = re.compile(r"(?:such|these|those)(?:\s[\w-]+)?", re.IGNORECASE)
"""What is forbidden elsewhere in the text, and says nothing by itself ("such payments")."""
_DO_IT = re.compile(r"do (?:it|this|that|so)", re.IGNORECASE)
_DEFINING = re.compile(
    r"^[\"\u201c][^\"\u201d]+[\"\u201d] (?:means?|refers? to|includes?)\b", re.IGNORECASE
)
_FREED = word_pattern(
    r"\bapply to\b[^.;]{0,80}|[^.;]{0,60}\b(?:is|are) exempt(?:ed)?\b|\bexempts?\b[^.;]{0,60}",
    words="apply exempt exempted exempts",
)
_TOLD = r"(?:report|notify|inform|tell|alert|escalate|disclose)"
_ORDERED = re.compile(
    rf"\W*(?:(?P<case>(?:if|when)\b[^,]{{3,160}}),\s(?:please\s|immediately\s)?(?:{_TOLD}|contact|call)"
    rf"|(?:please\s|always\s|immediately\s|promptly\s)?{_TOLD})\b"
    r"(?!\s(?:\w+\s){0,3}(?:is|are|was|were|has|have)\b)(?=[^:]*$)",
    re.IGNORECASE,
)
"""How a sentence begins that orders a report ("Notify your supervisor of the date")."""
_MAY = frozenset({"may", "can", "may only", "can only"})
_FIRST_ONLY = re.compile(r"\s*only\b", re.IGNORECASE)
_CONJUNCTION = re.compile(r"^\W*(?:and|or|but|nor)\s", re.IGNORECASE)
_DEMANDED = re.compile(r"\b(?:expected|required|obliged)\b", re.IGNORECASE)
_BE = re.compile(r"(?:\s|^)(?:is|are|be|was|were|there)(?:\s\w+ly)?\s*$", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"(?:this|it|that|these|those|they|there|you|we|he|she)?\W*(?:,\s*but\b.*)?",
    re.IGNORECASE,
)
"""An act that is only pointed to ("this is not required")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """One rule of a statement."""

    type: EntityType
    """Obligation, prohibition, permission or exception."""
    modality: Modality
    """As stated ("should" is weaker than "must"); NONE for an exception."""
    actors: tuple[RoleMention, ...]
    """Who it binds; empty if the text does not say so plainly."""
    action: str
    """What is required, forbidden or allowed; empty where only the sentence tells."""
    condition: str
    """When; empty if always, or where only the sentence tells."""
    sentence: str
    """The whole sentence, with its lead-in: the rule."""
    clause: TextSpan | None = None
    """Where it stands in the statement's words; None: what the whole statement says."""
    is_of_lead_in: bool = False
    """True for an exception that what introduces a list makes for all its items."""


def norms_of(statement: Statement, known: Mapping[str, str]) -> tuple[Norm, ...]:
    """Return the norms of a statement, at most one of each type."""
    words = statement.words
    if statement.kind == "row" or _DEFINING.match(words):
        return ()
    if ends_in_colon(words) or is_cut_off(words):
        return ()
    if _EXAMPLE.match(words) or _UNENDED.search(words, len(words) - _AT_END):
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
        actors=(),
        action="",
        condition=tidy(order["case"] or ""),
        sentence=statement.sentence,
    )


def _modal(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield a norm for each main clause that has a modal expression."""
    reading = reading_of(statement)
    for clause in reading.clauses:
        norm = _norm(statement, reading, clause, known)
        if norm is not None:
            yield norm


def _norm(
    statement: Statement,
    reading: StatementReading,
    clause: ModalClause,
    known: Mapping[str, str],
) -> Norm | None:
    """Return the norm of a clause; None if it binds nobody.

    Args:
        statement: What is read.
        reading: The words of it that are.
        clause: One of its clauses.
        known: Abbreviations of roles.
    """
    if clause.trigger is None:
        return None
    text = reading.text
    subject, trigger = subject_of(text, clause), clause.trigger.of(text)
    after = words_after(reading, clause)
    lead_in = statement.lead_in_words
    if not reading.is_inherited and subject.strip():
        lead_in = ""  # it has a subject of its own
    spoken_of = actor_of(subject, trigger, after, lead_in, known)
    said = f"{trigger}{after}"
    is_nothing_yet = _NOTHING_YET.search(said, len(said) - _AT_END) is not None
    is_whole_clause = not (is_nothing_yet or _CUT.match(subject))
    if not is_whole_clause or not binds(
        clause.modality,
        ahead=text[: clause.trigger.char_start],
        subject=subject,
        trigger=trigger,
        after=after,
        has_actor=spoken_of is not None,
    ):
        return None
    force = _force(clause.modality, subject, trigger, after)
    if _is_no_rule_alone(statement, NORM_TYPES[force], is_inherited=reading.is_inherited):
        return None
    if _points_elsewhere(NORM_TYPES[force], subject, after):
        return None
    bound = bound_by(
        spoken_of, subject=subject, trigger=trigger, after=after, lead_in=lead_in, known=known
    )
    is_alone = not statement.lead_ins and force is clause.modality
    parts = parts_of(text, clause, has_actor=bound.is_subject) if is_alone else UNTOLD
    return Norm(
        type=NORM_TYPES[force],
        modality=force,
        actors=bound.actors,
        action=parts.action,
        condition=parts.condition,
        sentence=statement.sentence,
        clause=None if reading.is_inherited else _within(statement.words, text, clause.span),
    )


def _is_no_rule_alone(statement: Statement, type_: EntityType, *, is_inherited: bool) -> bool:
    """Return whether an item alone is no rule.

    It is a finding, a step of what is allowed, or one way of several.
    """
    if _CONCLUSIONS.search(statement.lead_in_words):
        return True
    if not is_inherited:
        return False
    if _GUIDELINES.search(statement.lead_in_words):
        return len(statement.words.split()) <= _HEADING_WORDS
    if type_ is EntityType.PERMISSION:
        return _STEPS.search(statement.lead_in_words) is not None
    is_one_of = statement.is_alternative or _ONE_OF.search(statement.lead_in_words) is not None
    return type_ is EntityType.OBLIGATION and is_one_of


def _force(modality: Modality, subject: str, trigger: str, after: str) -> Modality:
    """Return what a clause makes of its act, with its subject ("no messages shall")."""
    if _NONE.match(_CONJUNCTION.sub("", subject.rpartition(", but ")[2])):
        if _DEMANDED.search(trigger):
            return Modality.NEED_NOT  # "no one is expected to"
        return _OPPOSITE.get(modality, modality)
    if modality is Modality.MUST and _ENTITLED.match(after):
        return Modality.MAY
    if _NOTHING.match(after):
        return _OPPOSITE.get(modality, modality)
    said = trigger.casefold()
    if modality is Modality.MAY and said in _MAY and _FIRST_ONLY.match(after):
        return Modality.MUST  # "may only be used for" allows nothing that is not allowed already
    is_weak = modality is Modality.MUST_NOT and said.endswith("should")
    return Modality.SHOULD_NOT if is_weak else modality


def _points_elsewhere(type_: EntityType, subject: str, after: str) -> bool:
    """Return whether an act is only pointed to ("this is not required", "such payments")."""
    said = tidy(f"{_BE.sub('', after_case(subject.strip()))} {after}")
    if type_ is EntityType.PERMISSION:
        return _SAYS_NOTHING.fullmatch(said) is not None
    if type_ is not EntityType.PROHIBITION:
        return False
    return any(
        points.fullmatch(one) for points in (_POINTS_BACK, _DO_IT) for one in (said, tidy(after))
    )


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
        actors=roles[:1],
        action=tidy(found.action),
        condition=tidy(found.case),
        sentence=lead_in if found is above else statement.sentence,
        is_of_lead_in=found is above,
    )

"""Obligations, prohibitions, permissions and exceptions, with actor, action and condition."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from core.domain.ontology import EntityType
from core.language.lead_ins import ends_in_colon
from core.language.modality import ModalClause, Modality, modalities
from core.language.sentences import is_cut_off
from core.language.spans import TextSpan
from core.ontology.extract.exemptions import exception_in
from core.ontology.extract.not_binding import binds
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
_CONDITION = re.compile(
    r"\bonly (?:with|by|for|to|in|on|within|under|as)\b.*"
    r"|\b(?:only )?(?:if|when|whenever|where|unless"
    r"|(?<!days )(?<!weeks )(?<!hours )(?<!months )(?<!minutes )(?<!years )(?<!quarters )(?<!hour )"
    r"(?<!day )(?<!week )(?<!month )(?<!year )(?:before|after|prior to)|until"
    r"|(?<!\bat )once(?! (?:every|each|an?|per)\b)|provided that|as long as|in case|upon"
    r"|(?<!is )(?<!are )(?<!be )subject to|without (?:[\w-]+\s){0,4}?(?:approvals?|consent"
    r"|permission|authori[sz]ation|agreement|delay|notice|reviews?|reason|cause|\w{3,}ing)\b"
    r"|except|in the event)\b.*",
    re.IGNORECASE,
)
_PARENTHETIC = re.compile(
    r",\s(?P<words>(?:if|when|where|unless|as)\s[^,;:()]{2,40}),(?=\s)", re.IGNORECASE
)
"""A condition between commas, after which the act goes on ("reviewed and, if needed, changed")."""
_INSERTED = re.compile(r"\s*,\s(?P<words>[^,;:()]{4,120}),\s")
"""What is said between a modal verb and its act ("shall, if asked, send")."""
_FRONTED = re.compile(
    r"^(?:if|when|whenever|where|unless|before|after|until|once|provided that|in case|upon|as"
    r" long as"
    r"|from|in the event|should)\b[^,]*(?:(?:, [^,]{1,40}){0,5}, (?:or|and) [^,]*)?(?:,|$)",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\s*(?:\w+ly )?(?:not )?be(?:en)? (?:\w+ly )?"
    r"(?:\w+(?:ed|en|wn|ne|de|pt|ld|nt|ut)|kept|held|made|paid|sent|read|set|met)\b"
    r"[^,;:.]{0,160}?\bby (?:the |an? |their |its |each )?"
    r"(?:relevant |appropriate |responsible |respective |direct |designated |applicable )?",
    re.IGNORECASE,
)
"""A passive verb phrase up to its agent, in one clause."""
_WILL = re.compile(r"(?:\s(?:will|shall)|['\u2019]ll)\s*$", re.IGNORECASE)
_BE = re.compile(r"(?:\s|^)(?:is|are|be|was|were|there)\s*$", re.IGNORECASE)
_GOES_ON = re.compile(r"\b(?:and|or|but|then)\s*$", re.IGNORECASE)
"""Before a verb whose subject is that of another verb ("I protect it and will not leave it")."""
_SAYS_THAT = re.compile(
    r"^[^,;:]{0,100}?\b(?:explains?|states?|says?|provides?|acknowledges?|agrees?|notes?|means?"
    r"|requires?|confirms?|understands?|clarifies) that\s+",
    re.IGNORECASE,
)
"""Before what is said ("the policy explains that bribery")."""
_MENTIONED = re.compile(r"[,;]|\b(?:and|or)\b", re.IGNORECASE)
_IS_DONE = re.compile(r"\s*(?:\w+ly )?be (?:\w+ly )?\w+(?:ed|en|wn|pt|ld)\b", re.IGNORECASE)
_NOTHING_YET = re.compile(
    r"(?:\b(?:must|shall|may|can|should|cannot|not|never|to)|n['\u2019]t)\W*(?:(?:and|or|but)\W*)?\Z",
    re.IGNORECASE,
)
"""A modal verb whose act stands behind the next one ("we cannot and do not allow")."""
_IF_WHO = re.compile(r"(?:if|when|whenever|where|unless|while|once)\b[^,]*\Z", re.IGNORECASE)
"""The subject of a condition that a second verb shares ("if you travel and need to pay")."""
_IN_BRACKETS = re.compile(r"\([^()]{1,80}\)")
"""A remark on one word ("the status (if applicable)"), and no condition of the whole."""
_PRONOUN = re.compile(
    r"\b(?:you|we|i|he|she|it|they|this|that|these|those)(?:['\u2019](?:ll|d|ve))?"
    r"\s*(?:\w+ly\s*|also\s*)?$",
    re.IGNORECASE,
)
"""A subject that is no role, whatever is named before it ("before you meet an official, you")."""
_HEADS_ITS_PHRASE = re.compile(
    r"\s*(?:$|[^\w\s]|(?:and|or|nor|who|whom|whose|that|which|of|in|on|at|with|within|without|from"
    r"|for|to|by|as|under|outside|if|when|where|whenever|is|are|do|does|will|must|may|shall|should"
    r"|can|not|never|then|also|both|each|all|only|alone|themselves|himself|herself|\w+(?:ed|ing|ly))"
    r"\b)",
    re.IGNORECASE,
)
"""After a role that is who is spoken of, and not what kind of thing is ("vendor contracts")."""
_OPEN_BRACKET = re.compile(r"\((?=[^()]*$)")
"""A remark that has rules of its own: what stands before it is not their subject."""
_RELATIVE = re.compile(r"\b(?:that|which|who)\s*$", re.IGNORECASE)
_NONE = re.compile(
    r"^\W*(?:no(?!\s+(?:later|more|less|fewer|longer|sooner|matter)\b)|none|nobody|neither)\b",
    re.IGNORECASE,
)
"""A subject of which nothing is allowed ("no messages of this kind shall be sent")."""
_FORBIDS = re.compile(
    r"(?:prohibits?|forbids?|(?:do|does|will)(?:\s+not|n['\u2019]t)\s+\w+|never|prohibition \w+)$",
    re.IGNORECASE,
)
"""Of these, what is forbidden stands behind; what stands before is whose rule it is, or nobody."""
_DEMANDS = re.compile(r"(?:requires?|expects?|needs?|recommends?)$", re.IGNORECASE)
"""Verbs that say something without what follows them, unlike "must"."""
_DEMANDED = re.compile(
    r"(?:requires?|expects?)\s(?P<whom>(?:[\w'\u2019-]+\s){1,5}?)to\b", re.IGNORECASE
)
"""Of whom something is demanded ("we require all suppliers to")."""
_OPENS_CONDITIONS = re.compile(
    r"\b(?:unless|only (?:if|when|where)|if|provided that)\b[^.,;]{0,80}$", re.IGNORECASE
)
"""The end of a lead-in after which each item is a condition ("unless all of these are met:")."""
_DEFINING = re.compile(
    r"^[\"\u201c][^\"\u201d]+[\"\u201d] (?:means?|refers? to|includes?)\b", re.IGNORECASE
)
_FREED = re.compile(
    r"\bapply to\b[^.;]{0,80}|[^.;]{0,60}\b(?:is|are) exempt(?:ed)?\b|\bexempts?\b[^.;]{0,60}",
    re.IGNORECASE,
)
_FORBIDDING = frozenset({Modality.MUST_NOT, Modality.SHOULD_NOT})
_OWN_VERB = re.compile(r"\A[\w\s'\u2019-]{0,60}\b(?:will|won['\u2019]t)\b", re.IGNORECASE)
"""In an item: a sentence of its own, which its lead-in does not end ("must: ... IT will pay")."""
_NO_NEED = re.compile(
    r"\Ano\s(?P<what>\S.*?)\s(?:is|are|be|was|were)\s(?:required|needed|necessary)\Z",
    re.IGNORECASE,
)
_ADVERBS = 3
"""Words at most within a verb phrase."""
_JOINED = re.compile(r"[;:.]|\b(?:and|or|but|that|who|which|to|it|they|you|we)\b", re.IGNORECASE)
_LABEL = re.compile(r"^[A-Z][\w &/,'\u2019()-]{2,60}:\s+(?=[A-Z])")
_DEPENDENT = re.compile(
    r"(?:\b(?:of|by|from|to|for|with|in|on|at|against|under|between|such as|like|including)\b"
    r"|[\w]['\u2019]s?)"
    r"(?:\s(?:the|an?|each|any|all|its|their|our|relevant|both|every))*"
    r"(?:\s(?!(?:and|or)\b)[\w-]+){0,2}\s*$",
    re.IGNORECASE,
)


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


def norms_of(statement: Statement, known: Mapping[str, str]) -> tuple[Norm, ...]:
    """Return the norms of a statement, at most one of each type."""
    if statement.kind == "row" or _DEFINING.match(statement.words):
        return ()
    if ends_in_colon(statement.words) or is_cut_off(statement.words):
        return ()
    found: dict[EntityType, Norm] = {}
    for norm in (*_modal(statement, known), *_exceptions(statement, known)):
        found.setdefault(norm.type, norm)
    return tuple(found.values())


def _modal(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield a norm for each main clause that has a modal expression."""
    text, inherited, case = _LABEL.sub("", statement.words, count=1), False, None
    clauses = _main_clauses(text)
    if _OPENS_CONDITIONS.search(statement.lead_in_words):
        text, inherited = statement.sentence, True
        end = len(statement.lead_in_words)
        clauses = [
            clause
            for clause in _main_clauses(text)
            if clause.trigger is not None and clause.trigger.char_end <= end
        ][-1:]
    elif not clauses and statement.lead_in_words and not _OWN_VERB.search(text):
        text, inherited = statement.sentence, True
        clauses = _main_clauses(text)[-1:]
        case = _FRONTED.match(_without_brackets(statement.words))
    for clause in clauses:
        if clause.trigger is None:
            continue
        type_ = NORM_TYPES[clause.modality]
        subject = _subject(text, clause)
        after = text[clause.trigger.char_end : len(text) if inherited else clause.span.char_end]
        trigger = clause.trigger.of(text)
        actor = _actor(subject, trigger, after, statement, known)
        if _NOTHING_YET.search(f"{trigger}{after}") or not binds(
            clause.modality,
            ahead=text[: clause.trigger.char_start],
            subject=subject,
            trigger=trigger,
            after=after,
            has_actor=actor is not None,
        ):
            continue
        force = clause.modality
        if force is Modality.MUST and _NONE.match(subject):
            type_, force = EntityType.PROHIBITION, Modality.MUST_NOT
        if case:
            after = (
                after[: len(after) - len(statement.words)] + statement.words[case.end() :].lstrip()
            )
        done, condition = _act_and_condition(subject, after)
        yield Norm(
            type=type_,
            modality=force,
            actor=actor,
            action=_action(subject, trigger, done, actor),
            condition=_tidy(statement.words[: case.end()] if case else condition),
            sentence=statement.sentence,
            clause=None if inherited else _within(statement.words, text, clause.span),
        )


def _act_and_condition(subject: str, after: str) -> tuple[str, str]:
    """Return what is to be done, and when: before the subject, beside the verb, or at the end."""
    fronted = _FRONTED.match(_without_brackets(subject.strip()))
    inserted = _INSERTED.match(after)
    done = after[inserted.end() :] if inserted else after
    aside = _PARENTHETIC.search(done)
    if aside:
        done = done[: aside.start()] + done[aside.end() :]
    later = _CONDITION.search(_without_brackets(done))
    act = done[: later.start()] if later else done
    if fronted:
        return act, subject.strip()[: fronted.end()]
    if inserted and _CONDITION.match(inserted["words"]):
        return act, inserted["words"]
    if later:
        return act, done[later.start() :]
    return act, aside["words"] if aside else ""


def _subject(text: str, clause: ModalClause) -> str:
    """Return what stands before the modal expression of a clause, as its subject."""
    if clause.trigger is None:
        return ""
    subject = text[clause.span.char_start : clause.trigger.char_start]
    if clause.subject is not None:
        subject = clause.subject.of(text)
        if _RELATIVE.search(subject):  # "passwords that must be stored ... must be encrypted"
            subject = text[clause.subject.char_start : clause.trigger.char_start]
    opened = _OPEN_BRACKET.search(subject)
    return subject[opened.end() :] if opened else subject


def _within(words: str, text: str, span: TextSpan) -> TextSpan:
    """Return the span of a clause in the whole words, of which the text is the end."""
    label = len(words) - len(text)
    return TextSpan(char_start=span.char_start + label, char_end=span.char_end + label)


def _without_brackets(text: str) -> str:
    """Return a text of the same length without what stands in brackets."""
    return _IN_BRACKETS.sub(lambda found: "~" * len(found[0]), text)


def _main_clauses(text: str) -> list[ModalClause]:
    """Return the main clauses with a modal expression, one for each verb phrase.

    A condition or relative clause alone makes no rule ("unless prohibited by law").
    """
    kept: list[ModalClause] = []
    for clause in modalities(text):
        if clause.modality is Modality.NONE or clause.is_subordinate or clause.trigger is None:
            continue
        start = clause.subject.char_start if clause.subject else clause.trigger.char_start
        if _IF_WHO.match(text, start, clause.trigger.char_start):
            continue
        before = kept[-1] if kept else None
        if before is None or not _goes_on(text, before, clause):
            kept.append(clause)
        elif clause.modality in _FORBIDDING:
            # "should be prohibited"; "must not be prohibited" is left to a person.
            kept[-1:] = [] if before.modality in _FORBIDDING else [clause]
        else:  # "may not allow anybody"
            whole = TextSpan(char_start=before.span.char_start, char_end=clause.span.char_end)
            kept[-1] = replace(before, span=whole)
    return kept


def _goes_on(text: str, before: ModalClause, clause: ModalClause) -> bool:
    """Return whether two modal expressions are one verb phrase ("may require")."""
    if before.trigger is None or clause.trigger is None:
        return False
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return len(between.split()) <= _ADVERBS and _JOINED.search(between) is None


def _actor(
    subject: str, trigger: str, after: str, statement: Statement, known: Mapping[str, str]
) -> RoleMention | None:
    """Return who a norm binds: the subject, the agent of a passive, or the lead-in's subject."""
    fronted = _FRONTED.match(_without_brackets(subject.strip()))
    own = subject.strip()[fronted.end() :] if fronted else subject
    demanded = _DEMANDED.match(f"{trigger}{after}")
    if demanded:
        return next(iter(find_roles(demanded["whom"], known)), None)
    if _PRONOUN.search(own):
        return None
    for text in (own, trigger):
        for role in find_roles(text, known):
            is_owner = text[role.end :].startswith(("'", "\u2019"))
            if (
                not is_owner
                and _HEADS_ITS_PHRASE.match(text, role.end)
                and not _DEPENDENT.search(text[: role.start])
                and not (_IS_DONE.match(after) and _MENTIONED.search(text[: role.start]))
            ):
                return role
    passive = _PASSIVE.match(after)
    if passive:
        roles = find_roles(after[passive.end() : passive.end() + 60], known)
        if (
            roles
            and roles[0].start <= 1
            and after[passive.end() + roles[0].end :][:1] not in {"'", "\u2019"}
        ):
            return roles[0]
    return _actor_of_lead_in(statement.lead_in_words, known)


def _actor_of_lead_in(lead_in: str, known: Mapping[str, str]) -> RoleMention | None:
    """Return the subject of what introduces a list, if it is a role."""
    fronted = _FRONTED.match(_without_brackets(lead_in))
    start = fronted.end() if fronted else 0
    triggers = [clause.trigger for clause in _main_clauses(lead_in) if clause.trigger is not None]
    subject = lead_in[start : triggers[0].char_start if triggers else len(lead_in)]
    if _PRONOUN.search(subject):
        return None
    for role in find_roles(subject, known):
        if _HEADS_ITS_PHRASE.match(subject, role.end) and not _DEPENDENT.search(
            subject[: role.start]
        ):
            return role
    return None


def _action(subject: str, trigger: str, after: str, actor: RoleMention | None) -> str:
    """Return what a norm is about: the verb phrase, with the subject where it is the object."""
    if actor is not None and actor.name.split()[0].casefold()[:4] in subject.casefold():
        return _tidy(after)
    nothing = _NO_NEED.match(trigger)
    if nothing:
        return _tidy(f"{nothing['what']} {after}")
    if trigger.casefold().endswith("to be"):
        after = f" be {after}"
    else:
        subject = _WILL.sub("", _BE.sub("", subject))
    if _GOES_ON.search(subject):
        subject = ""
    subject = _SAYS_THAT.sub("", subject.rpartition(", but ")[2])
    if actor is None and _FORBIDS.search(trigger):
        return _tidy(after)
    if _DEMANDS.search(trigger):
        return _tidy(f"{subject} {trigger} {after}")
    return _tidy(f"{subject} {re.sub(r'^ *be ', 'to be ', after)}")


def _tidy(text: str) -> str:
    folded = " ".join(text.split()).strip(" ,;:.(")
    if folded.endswith(")") and folded.count(")") > folded.count("("):
        folded = folded[:-1].rstrip()
    folded = re.sub(r"^(?:but|and|so) ", "", folded)
    return re.sub(r",? (?:even|or|nor|and|but|only|either|both|so)$", "", folded)


def _exceptions(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield the exceptions of a statement."""
    found = exception_in(statement.sentence)
    if found is not None:
        yield _exception(found.action, found.case, statement.sentence, known)


def _exception(action: str, condition: str, sentence: str, known: Mapping[str, str]) -> Norm:
    freed = _FREED.search(action)
    roles = find_roles(freed[0], known) if freed else ()
    return Norm(
        type=EntityType.EXCEPTION,
        modality=Modality.NONE,
        actor=roles[0] if roles else None,
        action=_tidy(action),
        condition=_tidy(condition),
        sentence=sentence,
    )

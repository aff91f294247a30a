"""Obligations, prohibitions, permissions and exceptions, with actor, action and condition."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.domain.ontology import EntityType
from core.language.lead_ins import ends_in_colon
from core.language.modality import ModalClause, Modality
from core.language.sentences import is_cut_off
from core.language.spans import TextSpan
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
_CONDITION = re.compile(
    r"\bonly (?:with|by|for|to|in|on|within|under|as)\b.*"
    r"|\b(?:only )?(?:(?<!even )if|when|whenever|where|unless"
    r"|(?<!days )(?<!weeks )(?<!hours )(?<!months )(?<!minutes )(?<!years )(?<!quarters )(?<!hour )"
    r"(?<!day )(?<!week )(?<!month )(?<!year )(?:before|after|prior to)|until"
    r"|(?<!\bat )once(?! (?:every|each|an?|per)\b)|provided that|as long as|in case|upon"
    r"|(?<!is )(?<!are )(?<!be )subject to|without (?:[\w-]+\s){0,4}?(?:approvals?|consent"
    r"|permission|authori[sz]ation|agreement|delay|notice|reviews?|reason|cause|\w{3,}ing)\b"
    r"|except|in the event)\b.*",
    re.IGNORECASE,
)
_PARENTHETIC = re.compile(
    r",\s(?P<words>(?:(?:if|when|where|unless)(?:\s[\w'\u2019-]+){1,3}"
    r"|as (?:appropriate|necessary|needed|required|applicable))),(?=\s)",
    re.IGNORECASE,
)
"""A condition between commas, after which the act goes on ("reviewed and, if needed, changed")."""
_WHETHER = re.compile(
    r"\b(?:decid|determin|indicat|check|verif|confirm|assess|ask|know|tell|evaluat|identif|find out"
    r"|see\b|say|consider)\w*\s+(?:\w+\s+){0,3}\Z",
    re.IGNORECASE,
)
_BRIEF = re.compile(
    r"(?:if|when|where) (?:necessary|needed|required|applicable|possible|appropriate|feasible)\b[\s,]*\w",
    re.IGNORECASE,
)
"""A condition of one act of several ("train the staff if needed, and present what was learned")."""
_OF_A_THING = re.compile(
    r"\b(?:which|who|that)\s(?:\w+\s)?(?:must|may|can|needs?|should|shall|will|cannot|ha(?:ve|s) to)\b"
    r"[^,;]{0,80}\Z",
    re.IGNORECASE,
)
"""Before a condition of what a relative clause says ("concerns which must be met before")."""
_IF_ANY = re.compile(r"if any\Z", re.IGNORECASE)
_CASE = re.compile(
    r"(?:if|when|whenever|unless|once|in the event|provided that)\b[^,]*,", re.IGNORECASE
)
"""For an item that says when its act is due ("if they are ill, stay at home")."""
_INSERTED = re.compile(r"\s*,\s(?P<words>[^,;:()]{4,120}),\s")
"""What is said between a modal verb and its act ("shall, if asked, send")."""
_WILL = re.compile(r"(?:\s(?:will|shall)|['\u2019]ll)\s*$", re.IGNORECASE)
_BE = re.compile(r"(?:\s|^)(?:is|are|be|was|were|there)\s*$", re.IGNORECASE)
_CONSIDERED = re.compile(
    r"\s(?:is|are|be)\s(?:considered|deemed|viewed as|seen as|regarded as|treated as)\s*$",
    re.IGNORECASE,
)
"""Before "unacceptable"."""
_GOES_ON = re.compile(r"\b(?:and|or|but|then)\s*$", re.IGNORECASE)
"""Before a verb whose subject is that of another verb ("I protect it and will not leave it")."""
_SAYS_THAT = re.compile(
    r"^[^,;:]{0,100}?\b(?:explains?|states?|says?|provides?|acknowledges?|agrees?|notes?|means?"
    r"|requires?|confirms?|understands?|clarifies) that\s+",
    re.IGNORECASE,
)
"""Before what is said ("the policy explains that bribery")."""
_NOTHING_YET = re.compile(
    r"(?:\b(?:must|shall|may|can|should|cannot|not|never|to)|n['\u2019]t)\W*(?:(?:and|or|but)\W*)?\Z",
    re.IGNORECASE,
)
"""A modal verb whose act stands behind the next one ("we cannot and do not allow")."""
_WORD = re.compile(r"\w")
_OPEN_BRACKET = re.compile(r"\((?=[^()]*$)")
"""A remark that has rules of its own: what stands before it is not their subject."""
_RELATIVE = re.compile(r"\b(?:that|which|who)\s*$", re.IGNORECASE)
_NONE = re.compile(
    r"^\W*(?:no(?![,.:;!]|\s+(?:later|more|less|fewer|longer|sooner|matter)\b)|none|nobody|neither)\b",
    re.IGNORECASE,
)
"""A subject of which nothing is allowed ("no messages of this kind shall be sent")."""
_FORBIDS = re.compile(
    r"(?:prohibits?|forbids?|(?:do|does|will)(?:\s+not|n['\u2019]t)\s+\w+|never|prohibition \w+)$",
    re.IGNORECASE,
)
"""Of these, what is forbidden stands behind; what stands before is whose rule it is, or nobody."""
_DEMANDS = re.compile(
    r"(?:requires?|expects?|needs?|recommends?|responsible\s+for)$", re.IGNORECASE
)
"""Verbs that say something without what follows them, unlike "must"."""
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
    r"[A-Za-z][a-z]+\s(?:[\w'\u2019-]+\s){0,8}?(?!(?:if|when|that|and|but|or|because|so|then|as|until"
    r"|unless|before|after|note|ensure|remember|understand|agree|acknowledge|confirm|believe|think"
    r"|say|means|know|where|while|once)\s)[a-z]+\s(?:they|you|we|he|she|it)\s(?:(?:are|is|will)\s)?\Z",
    re.IGNORECASE,
)
"""Before a verb of a clause that no word marks, in an item ("access systems they")."""
_EXAMPLE = re.compile(
    r"\W*(?:an example|examples?\b|for example|for instance|e\.g\.|imagine|suppose|let['\u2019]s say)",
    re.IGNORECASE,
)
_ANY_ONE = re.compile(r"\b(?:any|either|one)\b", re.IGNORECASE)
"""In a lead-in, where one of its items is enough ("unless one of these is met")."""
_NOTHING_MAY = re.compile(
    r"\A(?:no|none of|neither)\s(?P<what>(?!one\b)\S.*?)\s(?:may|must|shall|can|will|should)\Z",
    re.IGNORECASE,
)
"""A prohibition of which the object stands before its verb ("no cards may be issued")."""
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
_NO_NEED = re.compile(
    r"\Ano\s(?P<what>\S.*?)\s(?:is|are|be|was|were)\s(?:required|needed|necessary)\Z",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_AND_IF = re.compile(
    r",?\s(?:and|but)\s(?=(?:if|when|whenever|where|once|unless|in case)\b[^,]*,?\s*\Z)",
    re.IGNORECASE,
)
"""At the end of a clause, before the condition of the next ("and if you are ill, you must")."""
_AND_WILL = re.compile(r",?\s(?:and|but)\s(?:(?:we|they|it)\s)?will\s", re.IGNORECASE)
"""After what is forbidden, before what is done instead ("prohibits fraud and will act on it")."""
_SPOKEN_TO = re.compile(
    r"^(?:(?:[AQ]:|(?:yes|no|again|also|however|additionally|furthermore|moreover|therefore),"
    r"|(?:please )?note:|note that|there(?:\s(?:is|are)(?:\s\w+ly)?)?)\s+)+",
    re.IGNORECASE,
)
"""Before a rule, of which it is no part."""
_FREQUENTLY = re.compile(
    r"\s(?:typically|generally|usually|strictly|also|therefore|hereby)$", re.IGNORECASE
)
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


def _modal(statement: Statement, known: Mapping[str, str]) -> Iterator[Norm]:
    """Yield a norm for each main clause that has a modal expression."""
    text, inherited, case = _LABEL.sub("", statement.words, count=1), False, None
    clauses = main_clauses(text)
    if statement.lead_in_words and all(_is_of_a_noun(text, clause) for clause in clauses):
        clauses = []
    if _OPENS_CONDITIONS.search(statement.lead_in_words):
        text, inherited = statement.sentence, True
        end = len(statement.lead_in_words)
        clauses = [
            clause
            for clause in main_clauses(text)
            if clause.trigger is not None and clause.trigger.char_end <= end
        ][-1:]
    elif not clauses and statement.lead_in_words and not _OWN_VERB.search(text):
        text, inherited = _introduced(statement), True
        end = len(text) - len(statement.words)
        clauses = [
            clause
            for clause in main_clauses(text)
            if clause.trigger is not None and clause.trigger.char_start < end
        ][-1:]
        case = _CASE.match(without_brackets(statement.words))
    for clause in clauses:
        if clause.trigger is None:
            continue
        type_ = NORM_TYPES[clause.modality]
        subject = _subject(text, clause)
        after = text[clause.trigger.char_end : len(text) if inherited else clause.span.char_end]
        trigger = clause.trigger.of(text)
        ahead_of_next = _AND_IF.search(after) if clause is not clauses[-1] else None
        if ahead_of_next:
            after = after[: ahead_of_next.start()]
        if _ONLY.search(trigger):
            after = f" only{after}"
        actor = actor_of(subject, trigger, after, statement.lead_in_words, known)
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
        if force is Modality.MUST_NOT and trigger.casefold().endswith("should"):
            force = Modality.SHOULD_NOT
        if case:
            after = (
                after[: len(after) - len(statement.words)] + statement.words[case.end() :].lstrip()
            )
        is_only = _ONLY.search(trigger) is not None
        done, condition = (after, "") if is_only else _act_and_condition(subject, after)
        action = _action(subject, trigger, done, actor)
        if type_ is EntityType.PERMISSION and _SAYS_NOTHING.fullmatch(action):
            continue
        if type_ is EntityType.PROHIBITION and actor is None and _POINTS_BACK.fullmatch(action):
            continue
        yield Norm(
            type=type_,
            modality=force,
            actor=actor,
            action=action,
            condition=_tidy(statement.words[: case.end()] if case else condition),
            sentence=statement.sentence,
            clause=None if inherited else _within(statement.words, text, clause.span),
        )


def _is_of_a_noun(text: str, clause: ModalClause) -> bool:
    """Return whether a verb in an item only says which thing is meant ("systems they may not use")."""
    if clause.trigger is None:
        return False
    ahead = text[: clause.trigger.char_start]
    behind = text[clause.trigger.char_end : clause.span.char_end]
    return _OF_WHICH_THING.search(ahead) is not None or is_which(
        clause.trigger.of(text), ahead=ahead, after=behind
    )


def _introduced(statement: Statement) -> str:
    """Return a statement after what makes a rule of it, and not after all that stands above."""
    said = statement.introductions
    start = next((at for at in reversed(range(len(said))) if main_clauses(said[at])), 0)
    return " ".join((*said[start:], statement.words))


def _act_and_condition(subject: str, after: str) -> tuple[str, str]:
    """Return what is to be done, and when: before the subject, beside the verb, or at the end."""
    fronted = FRONTED.match(without_brackets(subject.strip()))
    inserted = _INSERTED.match(after)
    done = after[inserted.end() :] if inserted else after
    aside = _PARENTHETIC.search(done)
    if aside:
        done = done[: aside.start()] + done[aside.end() :]
    plain = without_brackets(done)
    later = next((one for one in _CONDITION.finditer(plain) if not _asks(plain, one)), None)
    if later and (_OF_A_THING.search(plain, 0, later.start()) or _BRIEF.match(later[0])):
        later = None
    act = done[: later.start()] if later else done
    if fronted:  # what stands at the end then stays with the act
        return done, subject.strip()[: fronted.end()]
    if inserted and _CONDITION.match(inserted["words"]):
        return act, inserted["words"]
    if later:
        return act, done[later.start() :]
    return act, aside["words"] if aside and not _IF_ANY.match(aside["words"]) else ""


def _asks(text: str, found: re.Match[str]) -> bool:
    """Return whether "if" stands for "whether" ("decide if it is urgent")."""
    return found[0][:2].casefold() == "if" and _WHETHER.search(text, 0, found.start()) is not None


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
    if opened and not _WORD.search(subject, opened.end()):
        return subject[: opened.start()]
    return subject[opened.end() :] if opened else subject


def _within(words: str, text: str, span: TextSpan) -> TextSpan:
    """Return the span of a clause in the whole words, of which the text is the end."""
    label = len(words) - len(text)
    return TextSpan(char_start=span.char_start + label, char_end=span.char_end + label)


def _action(subject: str, trigger: str, after: str, actor: RoleMention | None) -> str:
    """Return what a norm is about: the verb phrase, with the subject where it is the object."""
    if actor is not None and actor.name.split()[0].casefold()[:4] in subject.casefold():
        return _tidy(after) or _tidy(subject)
    nothing = _NO_NEED.match(trigger)
    if nothing:
        return _tidy(f"{nothing['what']} {after}")
    none = _NOTHING_MAY.match(trigger)
    if none and actor is None:
        return _tidy(f"{none['what']} {re.sub(r'^ *(?:ever )?be ', 'to be ', after)}")
    if trigger.casefold().endswith("to be"):
        after = f" be {after}"
    else:
        subject = _WILL.sub("", _BE.sub("", _CONSIDERED.sub("", subject)))
    if _GOES_ON.search(subject):
        subject = ""
    subject = _SAYS_THAT.sub("", subject.rpartition(", but ")[2])
    if actor is None and _FORBIDS.search(trigger) and not after.lstrip().startswith("be "):
        return _tidy(_AND_WILL.split(after, maxsplit=1)[0])
    if _DEMANDS.search(trigger):
        return _tidy(f"{subject} {trigger} {after}")
    return _tidy(f"{subject} {re.sub(r'^ *be ', 'to be ', after)}")


def _tidy(text: str) -> str:
    folded = " ".join(text.split()).strip(" ,;:.(")
    if folded.endswith(")") and folded.count(")") > folded.count("("):
        folded = folded[:-1].rstrip()
    folded = _SPOKEN_TO.sub("", re.sub(r"^(?:but|and|so) ", "", folded))
    folded = _FREQUENTLY.sub("", folded)
    return re.sub(r",? (?:even|or|nor|and|but|only|so|however)$", "", folded)


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
        action=_tidy(found.action),
        condition=_tidy(found.case),
        sentence=lead_in if found is above else statement.sentence,
        is_of_lead_in=found is above,
    )

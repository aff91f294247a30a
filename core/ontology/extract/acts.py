"""What a rule asks, and when: the act and the condition of a clause, in the text's words."""

import re
from collections.abc import Mapping

from core.language.modality import ModalClause
from core.ontology.extract.clauses import FRONTED, without_brackets
from core.ontology.extract.roles import RoleMention, find_roles

_CONDITION = re.compile(
    r"\bonly (?:with|by|for|to|in|on|within|under|as)\b.*"
    r"|\b(?:only )?(?:(?<!even )if|when(?! to\b)|whenever|(?<!point )(?<!place )(?<!country )"
    r"(?<!office )(?<!location )(?<!area )where(?! to\b)|unless"
    r"|(?<!days )(?<!weeks )(?<!hours )(?<!months )(?<!minutes )(?<!years )(?<!quarters )(?<!hour )"
    r"(?<!day )(?<!week )(?<!month )(?<!year )"
    r"(?:before|(?<!\bor )(?<!looking )(?<!look )after|prior to)(?! which\b)|until"
    r"|(?<!\bat )once(?! (?:every|each|an?|per)\b| ?[(~])|provided that|as long as|in case"
    r"|upon (?:the |a |an |any |their |your |its )?(?:\w+ ){0,2}?(?:receipt|request|termination"
    r"|completion|approval|notice|notification|discovery|hire|hiring|arrival|return|expiry"
    r"|expiration|separation|departure|learning|receiving|written|initial)\b"
    r"|(?<!is )(?<!are )(?<!be )(?<!otherwise )subject to|without (?:[\w-]+\s){0,4}?(?:approvals?"
    r"|consent|permission|authori[sz]ation|agreement|notice|reviews?|reason|cause|\w{3,}ing)\b"
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
    r"(?:if|when|where) (?:necessary|needed|required|applicable|possible|appropriate"
    r"|feasible)\b[\s,]*\w",
    re.IGNORECASE,
)
"""A condition of one act of several ("train the staff if needed, and present what was learned")."""
_OF_A_THING = re.compile(
    r"\b(?:which|who|that)\s(?:\w+\s)?(?:must|may|can|needs?|should|shall|will|cannot|ha(?:ve"
    r"|s) to)\b"
    r"[^,;]{0,80}\Z",
    re.IGNORECASE,
)
"""Before a condition of what a relative clause says ("concerns which must be met before")."""
_IF_ANY = re.compile(r"if any\Z", re.IGNORECASE)
_INSERTED = re.compile(r"\s*,\s(?P<words>[^,;:()]{4,120}),\s")
"""What is said between a modal verb and its act ("shall, if asked, send")."""
_WILL = re.compile(r"(?:\s(?:will|shall)|['\u2019]ll)\s*$", re.IGNORECASE)
_EXAMPLE = re.compile(r"\b(?:i\.?e|e\.?g)\b[.,]*\s*\Z", re.IGNORECASE)
_ADDED = re.compile(r"[\w,]\s(?:and|or),?\s\Z", re.IGNORECASE)
"""Before the condition of a second act ("kept in English and, where asked for, in French")."""
_EXCEPT = re.compile(r"(?:except|unless|other than)\b", re.IGNORECASE)
_BE = re.compile(r"(?:\s|^)(?:is|are|be|was|were|there)(?:\s\w+ly)?\s*$", re.IGNORECASE)
_CONSIDERED = re.compile(
    r"\s(?:is|are|be)\s(?:considered|deemed|viewed as|seen as|regarded as|treated as)\s*$",
    re.IGNORECASE,
)
"""Before "unacceptable"."""
_FIRST_VERB = re.compile(
    r"\A(?P<subject>(?!\s|(?:i|we|you|they|he|she|it)\b)[^;:]{1,160}?)"
    r"\s(?:is|are|was|were|has|have|must|shall|should|may|can|will)\s",
    re.IGNORECASE,
)
"""The subject that two verbs share ("keys are secret and should not be shared")."""
_GOES_ON = re.compile(r"\b(?:and|or|but|then)\s*$", re.IGNORECASE)
"""Before a verb whose subject is that of another verb ("I protect it and will not leave it")."""
_SAYS_THAT = re.compile(
    r"^[^,;:]{0,100}?\b(?:explains?|states?|says?|provides?|acknowledges?|agrees?|notes?|means?"
    r"|requires?|confirms?|understands?|clarifies) that\s+",
    re.IGNORECASE,
)
"""Before what is said ("the policy explains that bribery")."""
_WORD = re.compile(r"\w")
_OPEN_BRACKET = re.compile(r"\((?=[^()]*$)")
"""A remark that has rules of its own: what stands before it is not their subject."""
_RELATIVE = re.compile(r"\b(?:that|which|who)\s*$", re.IGNORECASE)
_FORBIDS = re.compile(
    r"(?:prohibits?|forbids?|(?:do|does|will)(?:\s+not|n['\u2019]t)\s+(?!need|have|require)\w+"
    r"|refrain(?:s|ed)?\s+from|never|prohibition \w+)$",
    re.IGNORECASE,
)
"""Of these, what is forbidden stands behind; what stands before is whose rule it is, or nobody."""
_DEMANDS = re.compile(
    r"(?:requires?|expects?|needs?|recommends?|responsible\s+for|entitled)$", re.IGNORECASE
)
"""Verbs that say something without what follows them, unlike "must"."""
_NOTHING_MAY = re.compile(
    r"\A(?:no|none of|neither)\s(?P<what>(?!one\b)\S.*?)\s(?:may|must|shall|can|will|should)\Z",
    re.IGNORECASE,
)
"""A prohibition of which the object stands before its verb ("no cards may be issued")."""
_NO_NEED = re.compile(
    r"\Ano\s(?P<what>\S.*?)\s(?:is|are|be|was|were)\s(?:required|needed|necessary)\Z",
    re.IGNORECASE,
)
_OF_WHOM = re.compile(
    r"\s(?P<whom>(?:who|whose|with|in|from|involved|(?!during|including|regarding|concerning)\w+ing"
    r"|responsible|required)\b[^;:]{3,200}?)\s*\Z",
    re.IGNORECASE,
)
"""After a role, of whom of it a rule is ("employees who learn of it")."""
_IN_WHAT = re.compile(
    r"\s*(?P<what>(?:in|when|while|for|as|during|by)\s\w+ing\b[^,;]{3,120}),", re.IGNORECASE
)
"""Before a role, in what case ("in deciding on a gift, employees")."""
_AND_WILL = re.compile(
    r",?\s(?:and|but)\s(?:(?:we|they|it)\s)?(?:will|provides?|explains?|describes?|outlines?"
    r"|do not)\s",
    re.IGNORECASE,
)
"""After what is forbidden, before what is done instead ("prohibits fraud and will act on it")."""
_SPOKEN_TO = re.compile(
    r"^(?:(?:[AQ]:|(?:yes|no):|(?:yes|no|again|also|however|additionally|furthermore|moreover"
    r"|therefore),"
    r"|(?:please )?note:|note that|there(?:\s(?:is|are)(?:\s\w+ly)?)?)\s+)+",
    re.IGNORECASE,
)
"""Before a rule, of which it is no part."""
_AT_WHICH = re.compile(r",?\sat which (?:point|time)\b.*$", re.IGNORECASE)
_FREQUENTLY = re.compile(
    r"\s(?:typically|generally|usually|strictly|also|therefore|hereby)$", re.IGNORECASE
)


def subject_of(text: str, clause: ModalClause) -> str:
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
        is_order = clause.trigger.of(text)[:3].casefold() in {"do ", "don", "not"}
        return "" if is_order else subject[: opened.start()]
    return subject[opened.end() :] if opened else subject


def act_and_condition(subject: str, after: str) -> tuple[str, str]:
    """Return what is to be done, and when: before the subject, beside the verb, or at the end."""
    fronted = FRONTED.match(without_brackets(subject.strip()))
    inserted = _INSERTED.match(after)
    if inserted and (_EXCEPT.match(inserted["words"]) or not _CONDITION.match(inserted["words"])):
        inserted = None  # it says how, and stays with the act, or all behind it is the exception
    done = after[inserted.end() :] if inserted else after
    aside = _PARENTHETIC.search(done)
    if aside and _BRIEF.match(f"{aside['words']} it"):
        aside = None  # it may be of one thing of several, and stays where it stands
    if aside:
        done = done[: aside.start()] + done[aside.end() :]
    plain = without_brackets(done)
    later = next((one for one in _CONDITION.finditer(plain) if not _is_none(plain, one)), None)
    if later and (_OF_A_THING.search(plain, 0, later.start()) or _BRIEF.match(later[0])):
        later = None
    act = done[: later.start()] if later else done
    if fronted:  # what stands at the end then stays with the act
        return done, subject.strip()[: fronted.end()]
    if inserted:
        return act, inserted["words"]
    if later:
        return act, done[later.start() :]
    return act, aside["words"] if aside and not _IF_ANY.match(aside["words"]) else ""


def action_of(subject: str, trigger: str, after: str, actor: RoleMention | None) -> str:
    """Return what a norm is about: the verb phrase, with the subject where it is the object."""
    if actor is not None and actor.name.split()[0].casefold()[:4] in subject.casefold():
        own = f"be entitled{after}" if trigger.casefold().endswith("entitled") else after
        return tidy(own) or tidy(subject)
    nothing = _NO_NEED.match(trigger)
    if nothing:
        return tidy(f"{nothing['what']} {after}")
    none = _NOTHING_MAY.match(trigger)
    if none and actor is None:
        return tidy(f"{none['what']} {re.sub(r'^ *(?:ever )?be ', 'to be ', after)}")
    if trigger.casefold().endswith("to be"):
        after = f" be {after}"
    else:
        subject = _WILL.sub("", _BE.sub("", _CONSIDERED.sub("", subject)))
    if _GOES_ON.search(subject):
        said = _FIRST_VERB.match(subject.strip())
        subject = said["subject"] if said else ""
    subject = _SAYS_THAT.sub("", subject.rpartition(", but ")[2])
    if actor is None and _FORBIDS.search(trigger) and not after.lstrip().startswith("be "):
        return tidy(_AND_WILL.split(after, maxsplit=1)[0])
    if _DEMANDS.search(trigger):
        return tidy(f"{subject} {trigger} {after}")
    return tidy(f"{subject} {re.sub(r'^ *be ', 'to be ', after)}")


def limit_of(subject: str, actor: RoleMention, known: Mapping[str, str]) -> str:
    """Return of which part of a group, or in which case, a rule is; empty if of all, always.

    Args:
        subject: What stands before the modal expression.
        actor: Whom the rule binds; empty is returned where the subject does not name it.
        known: Abbreviations of roles.
    """
    fronted = FRONTED.match(without_brackets(subject.strip()))
    own = subject.strip()[fronted.end() :] if fronted else subject
    if all((one.key, one.start) != (actor.key, actor.start) for one in find_roles(own, known)):
        return ""
    of_whom = _OF_WHOM.match(own, actor.end)
    ahead = _IN_WHAT.match(own[: actor.start])
    return of_whom["whom"].strip(" ,") if of_whom else ahead["what"] if ahead else ""


def tidy(text: str) -> str:
    """Return words with single spaces, without what does not belong to an act at their ends."""
    folded = " ".join(text.split()).strip(" ,;:.(")
    if folded.endswith(")") and folded.count(")") > folded.count("("):
        folded = folded[:-1].rstrip()
    folded = _SPOKEN_TO.sub("", re.sub(r"^(?:but|and|so) ", "", folded))
    folded = _AT_WHICH.sub("", _FREQUENTLY.sub("", folded))
    return re.sub(r",? (?:even|or|nor|and|but|only|so|however)$", "", folded)


def _is_none(text: str, found: re.Match[str]) -> bool:
    """Return whether a condition is none of the act: an example's, or that of what is added to it.

    Nor is one after a semicolon, or "if" where it stands for "whether" ("decide if it is urgent").
    """
    if _EXAMPLE.search(text, 0, found.start()) or _ADDED.search(text, 0, found.start()):
        return True
    if ";" in text[: found.start()]:
        return True
    return found[0][:2].casefold() == "if" and _WHETHER.search(text, 0, found.start()) is not None

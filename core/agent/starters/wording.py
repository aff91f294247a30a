"""Questions of somebody who is new, made of what the policies say: by code, without a model.

A rule for staff becomes the question that it answers ("Employees must not accept cash" -> "Can I
accept cash?"), a heading that is a question stays one. What can't be turned is left out: there are
far more rules than starters. Whether a question is answered is not decided here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from core.domain.ontology import EntityType
from core.language.quantities import quantities
from core.ports.starters import StatedRule

LONGEST, SHORTEST_WORDS, MOST_WORDS = 75, 4, 14
"""Characters and words of a question: it stands whole on a button of Slack's."""


class Kind(IntEnum):
    """What a question asks for, what people ask most first."""

    LIMIT = 0
    DEADLINE = 1
    PERMISSION = 2
    HEADING = 3
    DUTY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    """A question, and what of the policies it was made of."""

    kind: Kind
    """What it asks for."""
    question: str
    """As a person asks it."""
    rule: StatedRule
    """What it was made of, and what is to answer it."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STAFF = frozenset(
    {"employees", "staff", "personnel", "team members", "staff members", "workers", "employee"}
    | {"teammates", "users", "you", "everyone", "all employees", "all staff", "colleagues"}
)
"""Those for whom "I" may stand."""
_YOU = re.compile(
    r"(?:^|[,;:.] )(?:you|(?:all |an? |each |every )?(?:employees?|staff|team ?mates?|team members?"
    r"|users?|personnel|everyone))(?: also| still)? (?:may|can|must|should|shall|need to|have to"
    r"|are (?:allowed|required|expected|permitted) to|cannot|can't)(?: not| never)?"
    r" ([^.;:]{8,160})",
    re.IGNORECASE,
)
"""The verb phrase of a rule that speaks to its reader."""
_PASSIVE = re.compile(
    r"^((?:an?|the|any|all|each|every)? ?[^.;:,()]{3,70}?) (?:may|can|must|should|shall)"
    r"(?: not| never| only| always)? be ((?:\w+ or )?)(\w+)(?: or \w+)?\b([^.;:]{0,80})",
    re.IGNORECASE,
)
_BASES = {
    "accepted": "accept",
    "given": "give",
    "offered": "offer",
    "used": "use",
    "shared": "share",
    "booked": "book",
    "claimed": "claim",
    "submitted": "submit",
    "reported": "report",
    "returned": "return",
    "requested": "request",
    "retained": "keep",
    "kept": "keep",
    "stored": "store",
    "deleted": "delete",
    "disclosed": "disclose",
    "completed": "complete",
    "installed": "install",
    "taken": "take",
    "sent": "send",
    "changed": "change",
    "approved": "get approval for",
    "reimbursed": "claim",
    "carried": "carry",
    "paid": "pay",
    "recorded": "record",
    "registered": "register",
    "worn": "wear",
    "connected": "connect",
    "copied": "copy",
    "downloaded": "download",
    "filed": "file",
    "declared": "declare",
    "renewed": "renew",
    "locked": "lock",
    "encrypted": "encrypt",
    "destroyed": "destroy",
    "charged": "charge",
}
"""Participles, and what somebody does who asks."""
_VERBS = _words(
    "accept add apply arrange ask attend bring book borrow buy cancel carry change charge "
    " claim close complete connect contact copy create declare decline delete destroy disclose"
    " discuss donate download drive earn email enter exchange expense extend file fly forward get"
    " give hire install invest invite join keep leave lend let lock log make meet move"
    " obtain offer open order own park participate pay play post print promote publish"
    " purchase put receive record refer register reimburse remove renew rent repair report request"
    " reschedule resign return reuse save schedule sell send serve set share sign smoke speak start"
    " stay stop store submit swap switch take teach tell transfer travel update upgrade upload use"
    " visit volunteer wait wear withdraw work write encrypt hand roll accrue"
)
"""What people ask whether they may or must do it; anything else is no verb, or is not asked."""
_KEEPING = frozenset({"keep", "store", "retain"})
_ASKING = _words(
    "request submit book ask apply register send enter file complete tell give obtain return"
    " arrange order schedule cancel report disclose"
)
"""What is done some time before something else."""
_OBJECTS = re.compile(
    r"\b(?:it|its|they|them|this|these|those|that|such|he|she|his|her|him|above|below|following"
    r"|section|annex|appendix|clause|paragraph|article|herein|thereof|hereto|respective|same|other"
    r"|pursuant|accordance|applicable|appropriate|relevant|familiarize|ensure|aware|adhere|comply"
    r"|act|apply|abide|read|we|our|us|policy|procedure|procedures|requirements|who|which|each other"
    r"|themselves|yourself|listed|described|above-mentioned|aforementioned|provided|etc|please"
    r"|know|understand|be|seek|treat|strive|avoid|consider|maintain|uphold|consult|cooperate)\b",
    re.IGNORECASE,
)
"""Words that point out of the sentence, or that no person asks with: such a rule is left out."""
_CUTS = re.compile(
    r"(?:[,;:(\[\u2013\u2014]| - |\b(?:unless|if|when|whenever|where|whether|provided|except"
    r"|without|whatever|even|in connection|on behalf|only|because|so that|in order|as long"
    r"|subject to|by means|through|regardless|while|until|once|in accordance|in line"
    r"|as (?:defined|described|set out|required|needed|necessary|possible|soon|well|part|specified"
    r"|outlined|appropriate)|and (?:must|may|should|shall|can|are|is|will)"
    r"|that (?:is|are|was|were|has|have|may|could)|which|who|intended)\b)",
    re.IGNORECASE,
)
"""Where a condition begins: the question is asked without it, and the answer states it."""
LONGEST_SENTENCE = 500
"""Characters of a rule that a question is made of."""
_BEFORE_LIMIT = _words(
    "with of for to at in worth having a an total combined retail market value cost price amount up"
    " more less than below above over under exceeding exceeds not most least no maximum"
)
"""Words between what is done and an amount, with which they are left out of a question."""
_BEFORE_PERIOD = _words(
    "not no at for by within after before every once up a an the least most later more less than"
    " minimum maximum of period to over during in per one and retained only each previous next last"
    " first until from"
)
"""The same before a period."""
_MINE = (
    (
        re.compile(
            r"\b(?:their|your|his or her|his/her|the employee's|an employee's)\b", re.IGNORECASE
        ),
        "my",
    ),
    (re.compile(r"\b(?:yours|theirs)\b", re.IGNORECASE), "mine"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
)
_LIST_MARK = re.compile(r"^(?:\(?[a-z0-9]{1,3}[.)]|[-*•➔·|])\s*", re.IGNORECASE)
_WORDS = re.compile(r"^[A-Za-z][A-Za-z'\u2019/-]*(?: [A-Za-z][A-Za-z'\u2019/-]*)*$")
_QUESTION = re.compile(
    r"^(?:can|may|do|does|am|are|is|what|how|when|who|which|where|should|must|will)\b[^?|:]{8,84}\?$",
    re.IGNORECASE,
)
_NOT_MINE = re.compile(r"\b(?:you|your|we|our|us|this|it|they|he|she|these|those)\b", re.IGNORECASE)


def worded(rules: Iterable[StatedRule]) -> tuple[Worded, ...]:
    """Return the questions that rules suggest, each once, in the order of the rules."""
    found = dict[str, Worded]()
    for rule in rules:
        if _DELICATE_POLICY.search(rule.policy_title):
            continue
        for kind, asked in _asked(rule):
            if _is_asked_like_that(asked) and asked.casefold() not in found:
                found[asked.casefold()] = Worded(kind=kind, question=asked, rule=rule)
    return tuple(found.values())


def _asked(rule: StatedRule) -> Iterator[tuple[Kind, str]]:
    if rule.type is EntityType.SECTION:
        heading = rule.name.strip()
        if _QUESTION.match(heading) and not _NOT_MINE.search(heading):
            yield Kind.HEADING, heading[0].upper() + heading[1:]
        return
    for phrase in _phrases(rule):
        done, whole = _parts(phrase)
        if done is not None and done.partition(" ")[0] in _VERBS:
            yield from _questions(done, rule, of=whole)


def _questions(done: str, rule: StatedRule, *, of: str) -> Iterator[tuple[Kind, str]]:
    kinds = {one.kind for one in quantities(of)}
    if rule.type is not EntityType.OBLIGATION:
        if rule.has_amount and "amount" in kinds:
            yield Kind.LIMIT, f"Up to what value can I {done}?"
        yield Kind.PERMISSION, f"Can I {done}?"
        return
    first = done.partition(" ")[0]
    if "duration" not in kinds:
        yield Kind.DUTY, f"Do I have to {done}?"
    elif first in _KEEPING:
        yield Kind.DEADLINE, f"How long do I have to {done}?"
    elif rule.period in {"within", "after"}:
        yield Kind.DEADLINE, f"How soon do I have to {done}?"
    elif rule.period == "before" and first in _ASKING:
        yield Kind.DEADLINE, f"How far in advance do I have to {done}?"
    elif rule.period == "every":
        yield Kind.DEADLINE, f"How often do I have to {done}?"


def _phrases(rule: StatedRule) -> Iterator[str]:
    """Yield what a rule lets or makes staff do, as verb phrases without "to"."""
    told = rule.attributes
    sentence = " ".join(told.get("sentence", "").split())
    if "lead_in" in told or "|" in sentence or len(sentence) > LONGEST_SENTENCE:
        return
    action = told.get("action", "")
    if told.get("actor", "").casefold() in _STAFF and not action.startswith(("to ", "be ")):
        yield action
    found = _YOU.search(sentence)
    if found:
        yield found[1]
    passive = _PASSIVE.match(_LIST_MARK.sub("", sentence))
    if passive and "actor" not in told:
        base = _BASES.get(passive[3].casefold())
        first = _BASES.get(passive[2].removesuffix(" or ").casefold()) if passive[2] else None
        if base is not None and (first or not passive[2]):
            verb = f"{first} or {base}" if first else base
            yield f"{verb} {_uncapitalised(passive[1])}{passive[4]}"


def _parts(phrase: str) -> tuple[str | None, str]:
    """Return what is done, without conditions and figures, and the whole phrase."""
    text = _LIST_MARK.sub("", " ".join(phrase.split())).rstrip(" .")
    for one in quantities(text):
        if one.is_identifier:
            return None, text
    cut = _CUTS.search(text)
    short = text[: cut.start()] if cut else text
    for one in quantities(text):
        if one.span.char_start < len(short):
            if one.kind not in {"amount", "duration"}:
                return None, text
            ends = _BEFORE_LIMIT if one.kind == "amount" else _BEFORE_PERIOD
            short = _without(short[: one.span.char_start], ends)
            break
    if _OBJECTS.search(short):
        return None, text
    for pattern, mine in _MINE:
        short = pattern.sub(mine, short)
    short = short.strip()
    return (_uncapitalised(short) if short else None), text


def _uncapitalised(text: str) -> str:
    """Return a text as it goes on in a sentence; an abbreviation stays what it is."""
    return text if text[1:2].isupper() else text[0].lower() + text[1:]


def _without(text: str, ends: frozenset[str]) -> str:
    """Return a text without such words at its end."""
    left = text.rstrip(" ,~$\u20ac\u00a3").split()
    while left and left[-1].strip(",").casefold() in ends:
        left.pop()
    return " ".join(left)


def _is_asked_like_that(asked: str) -> bool:
    words = asked.rstrip("?").split()
    last = words[-1].casefold()
    return (
        SHORTEST_WORDS <= len(words) <= MOST_WORDS
        and len(asked) <= LONGEST
        and _WORDS.match(asked.rstrip("?")) is not None
        and last not in _DANGLING
        and not (last.endswith("ed") and last not in _NOUNS_IN_ED)
        and not _VAGUE.search(asked)
        and not _DELICATE.search(asked)
        and sum(word[:1].isupper() for word in words[1:] if word != "I") <= _CAPITALS
    )


_CAPITALS = 2
_NOUNS_IN_ED = frozenset({"need", "speed", "feed", "bed", "deed", "seed", "embed"})
_VAGUE = re.compile(
    r"\bthe [\w-]+\?$|\b(?:do|does|use|take|have|make|get) (?:something|anything|some|things?)\b"
    r"|\bI (?:(?!and\b)\w+ )?I\b|\b(?:and|or) [\w-]+ed\b|\b(?:not|no|nothing|none|each)\b"
    r"|\b(?:is|are|was|were|has|been|includes?|must|may|shall|will|as much|as many)\b"
    r"|\b(?:complete|submit|report|keep|store|use|send|disclose) (?:in|within|by|at|on)\b"
    r"|\b(?:an?|the) (?:purpose|reason|way|basis|measure|matter|case|decision|person)\?$",
    re.IGNORECASE,
)
"""What only the sentence around it explains ("return the form"), or what was cut badly."""
_DELICATE_POLICY = re.compile(
    r"\b(?:speak(?:ing)?[ -]up|whistle|harass|discriminat|grievance|disciplin|violen|misconduct"
    r"|abus|retaliat|terminat|separation|bereave|bull(?:y|ies)|hotline|ethics line|suicid)",
    re.IGNORECASE,
)
"""Policies of which no question is offered: whoever asks about those has a reason."""
_DELICATE = re.compile(
    r"\b(?:harass|discriminat|brib|fraud|violen|suicid|terminat|disciplin|retaliat|whistle|misconduct"
    r"|abus|assault|weapon|firearm|drug|alcohol|pregnan|disab|death|bereave|religio|sexual|investigat"
    r"|illegal|immigra|lawsuit|grievance|complain|medical|illness|disease|falsif|steal|theft|corrupt"
    r"|launder|terror|reporting person|suspect|unethical|identity of)",
    re.IGNORECASE,
)
"""Topics that nobody is invited to ask about beside others: some who see them are concerned."""


_DANGLING = _words(
    "a an the of to for with in on at by from and or as than into about via per my any all under"
    " within between not more also be is are using being including based during regarding no"
    " another value received given made sick first also there here"
)
"""Words on which no question ends: something was cut off."""

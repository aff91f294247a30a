"""The main clauses of a statement, which make its rules, and whom each binds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.language.modality import ModalClause, Modality, may_be_modal, modalities
from core.language.spans import TextSpan
from core.ontology.extract.roles import RoleMention, find_roles

FRONTED = re.compile(
    r"^(?:if|when|whenever|where|unless|before|after|until|once|provided that|in case|upon|during"
    r"|throughout|prior to|following|as long as|subject to|notwithstanding"
    r"|from|in the event|in (?:the )?cases? of|in case|on the \w+ of|should)\b[^,]*"
    r"(?:(?:, [^,]{1,40}){0,5}, (?:or|and) [^,]*)?(?:,|$)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\([^()]{1,80}\)|(?<=\d),(?=\d)")
"""A remark on one word ("the status (if applicable)"), and no condition of the whole; and the comma
of a number, which parts nothing."""
_IF_WHO = re.compile(r"(?:if|when|whenever|where|unless|while|once)\b[^,]*\Z", re.IGNORECASE)
"""The subject of a condition that a second verb shares ("if you travel and need to pay")."""
_CAUSE = re.compile(
    r"(?:\A|\s)(?:as|since|because)\s(?:this|it|they|you|we|the|that|these|those"
    r"|there)\b[^,]{0,80}\Z",
    re.IGNORECASE,
)
"""Before a verb that gives a reason, and no rule ("as this requires a restart")."""
_THAT = re.compile(r"\s*that\s+(?!said\b)\w", re.IGNORECASE)
"""How a clause begins that is a part of what is asked for ("expect that", "be aware that")."""
_ASKS = re.compile(r"\W*(?:(?:and|or)\s)?(?:how|what|whether|why|who|which)\b", re.IGNORECASE)
"""How a clause begins that is a part of what is asked for ("decide the price and how it may")."""
_WHICH_MAY = frozenset({"allowed", "permitted", "authorised", "authorized", "entitled"})
"""Without a verb, before "to": which thing or person is meant ("ports allowed to reach us")."""
_BARE = frozenset(
    {
        "required to",
        "obliged to",
        "obligated to",
        "required",
        "prohibited",
        "forbidden",
        "permitted",
    }
)
"""Participles, which without a verb only say which thing is meant ("uses prohibited by law")."""
_A_THING = re.compile(
    r"\s*(?:(?:and|or)\s)?(?:an?|the|any)\s(?:[\w'\u2019-]+\s){1,4}(?:they|you|we|it|he|she)\s*\Z",
    re.IGNORECASE,
)
_CONFIRMING = re.compile(
    r"\b(?:confirm|show|stat|say|prov|indicat|certify)ing\b[^,;]{0,60}\Z", re.IGNORECASE
)
"""Before what a paper says ("and a letter confirming the event is allowed")."""
_ASKED = re.compile(
    r"\b(?:why|how|(?:determin|decid|check|verif|assess|confirm|identif)\w* (?:if|whether|what"
    r"|which))\b[^;:.]{0,160}\Z",
    re.IGNORECASE,
)
"""Before a verb of what is to be told or found out ("say why the access is required")."""
_CARE = re.compile(
    r"\b(?:care|sure|ensures?|ensuring|certain|decides?|determines?|agrees?|considers?|believes?"
    r"|finds?) that\b",
    re.IGNORECASE,
)
"""Before what is to be seen to ("take care that the data cannot be read")."""
_FOR = re.compile(
    r"\W*(?:note:\s)?(?:for (?:all|any|each|every|those|the)|if|when|whenever|where|unless|before"
    r"|after|once|until|while|in the event|in (?:the )?cases?|provided)\b",
    re.IGNORECASE,
)
"""How a clause begins that says of what, or when, the rule after it is."""
_TO_KNOW = re.compile(
    r"\A\W*(?:in order )?to (?:determine|decide|see|check|verify|assess|know|ensure"
    r"|find out)\b[^,]*\Z",
    re.IGNORECASE,
)
"""Before a verb within what is to be found out ("to see if it is bad and requires a notice")."""
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
"""Before a role where it is no other: the act is then told with its whole subject."""
_OF_WHICH = re.compile(
    r"[a-z]\s(?:(?:you|we|they|he|she|it|i)(?:['\u2019](?:ve|ll|re|d|s)|\s(?:have|has|had|are|is"
    r"|will))?"
    r"|(?:your|our|their|the|an?)\s[\w-]+)\s*\Z",
    re.IGNORECASE,
)
"""Before a verb of a clause that no word marks ("the reason you", "the thing your readers")."""
_FORBIDDING = frozenset({Modality.MUST_NOT, Modality.SHOULD_NOT})
_ADVERBS = 3
"""Words at most within a verb phrase."""
_JOINED = re.compile(r"[;:.]|\b(?:and|or|but|that|who|which|to|it|they|you|we)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\s*(?:\w+ly )?(?:not )?be(?:en)? (?:\w+ly )?(?!(?:pre-?)?approved|authori[sz]ed|granted)"
    r"(?:\w+(?:ed|en|wn|ne|de|pt|ld|nt|ut)|kept|held|made|paid|sent|read|set|met)\b"
    r"[^,;:.]{0,160}?\bby (?:the |an? |their |its |each )?"
    r"(?:relevant |appropriate |responsible |respective |direct |designated |applicable )?",
    re.IGNORECASE,
)
"""A passive verb phrase up to its agent, in one clause; who approves is not who is bound."""
_OF_A_NOUN = re.compile(
    r"\b(?:for|upon|after|under|pending|subject to) (?:[\w'\u2019-]+ ){0,2}(?:\w+(?:tion|ment|al"
    r"|ing|sion|ance)"
    r"|reviews?|use|signature|vote) by (?:\w+ ){0,2}\Z",
    re.IGNORECASE,
)
"""Before the agent of a noun, and not of the verb ("returned for examination by the Committee")."""
_FIRST = re.compile(
    r"\W*(?:(?!(?:and|or|of|for|with|by|in|on|from|to|\w{1,30}ing)\b)[\w-]{1,30}\s){0,3}"
)
"""Before a role that begins the subject of a passive verb, and so is whom it is about."""
_LISTED = re.compile(r",\s\w")
_QUALIFIED = re.compile(
    r"\b(?:full[- ]time|part[- ]time|new|newly hired|exempt|hourly|salaried|eligible|remote"
    r"|departing"
    r"|terminated|separated|former|permanent|temporary|regular|covered|affected|junior)\s\Z",
    re.IGNORECASE,
)
"""Before a group of which only a part is bound."""
_RECEIVES = re.compile(
    r"\s*(?:also |first )?be (?:\w+ly )?(?:provided|assigned|given|informed|notified|offered|issued"
    r"|told|advised|sent|paid|granted|reimbursed|supplied|screened|vetted)\b",
    re.IGNORECASE,
)
"""After those to whom something is done ("employees shall be provided with gloves")."""
_IS_DONE = re.compile(r"\s*(?:\w+ly )?be (?:\w+ly )?\w+(?:ed|en|wn|pt|ld)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:you|we|i|he|she|it|they|this|that|these|those)(?:['\u2019](?:ll|d|ve)|\swill)?"
    r"\s*(?:\w+ly\s*|also\s*)?$",
    re.IGNORECASE,
)
"""A subject that is no role, whatever is named before it ("before you meet an official, you")."""
_HEADS_ITS_PHRASE = re.compile(
    r"\s*(?:$|[^\w\s]|(?:and|or|nor|who|whom|whose|that|which|of|in|on|at|with|within|without|from"
    r"|for|to|by|as|under|outside|if|when|where|whenever|is|are|do|does|will|must|may|shall|should"
    r"|can|not|never|then|also|both|each|all|only|alone|themselves|himself|herself|\w+(?:ed|ing"
    r"|ly))"
    r"\b)",
    re.IGNORECASE,
)
"""After a role that is who is spoken of, and not what kind of thing is ("vendor contracts")."""
_DEMANDED = re.compile(
    r"(?:requires?|expects?)\s(?P<whom>(?:[\w'\u2019-]+\s){1,8}?)to\b", re.IGNORECASE
)
"""Of whom something is demanded ("we require all suppliers to")."""
_SAID_OF = re.compile(
    r"\b(?:which|that|who|whom|whose)\s[^,;]{1,160}\Z|\b(?:including|such as|like)\s[^.;]{1,300}\Z"
    r"|\([^()]{0,80}\Z",
    re.IGNORECASE,
)
"""Before a role that is only named among others, or of whom something else is said."""
_DEPENDENT = re.compile(
    r"(?:\b(?:of|by|from|to|for|with|in|on|at|against|under|between|such as|like|including"
    r"|encourages?|asks?|allows?|permits?|enables?|helps?|reminds?|informs?|audits?|trains?)\b"
    r"|[\w]['\u2019]s?)"
    r"(?:\s(?:the|an?|each|any|all|its|their|our|relevant|both|every))*"
    r"(?:\s(?!(?:and|or)\b)[\w-]+){0,2}\s*$",
    re.IGNORECASE,
)


def without_brackets(text: str) -> str:
    """Return a text of the same length without remarks in brackets and commas in numbers."""
    return _IN_BRACKETS.sub(lambda found: "~" * len(found[0]), text)


def main_clauses(text: str) -> list[ModalClause]:
    """Return the main clauses with a modal expression, one for each verb phrase.

    A condition or relative clause alone makes no rule ("unless prohibited by law"); it belongs to
    the rule before it ("tests are required if code cannot be read").
    """
    kept: list[ModalClause] = []
    ahead: ModalClause | None = None
    inner: ModalClause | None = None
    for clause in modalities(text) if may_be_modal(text) else ():
        if clause.modality is Modality.NONE or clause.trigger is None:
            continue
        goes_on = inner is not None and _goes_on_at_once(text, inner, clause)
        inner = None
        if clause.is_subordinate or goes_on or _is_within(text, kept, clause):
            inner = clause
            if kept and kept[-1].span.char_end == clause.span.char_start:
                kept[-1] = _extended(kept[-1], clause)
            elif not kept and _FOR.match(text, clause.span.char_start):
                ahead = clause
        elif not kept and _says_which(text, clause.trigger):
            ahead = clause
        elif not _only_explains(text, clause, clause.trigger):
            _add(text, kept, clause if ahead is None else _after(ahead, clause))
            ahead = None
    return kept


def _says_which(text: str, trigger: TextSpan) -> bool:
    """Return whether a participle before the verb of a rule says of which things it is."""
    is_participle = trigger.of(text).casefold() in _WHICH_MAY
    return is_participle and trigger.char_start > 0 and text.startswith(" to ", trigger.char_end)


def _only_explains(text: str, clause: ModalClause, trigger: TextSpan) -> bool:
    """Return whether a clause gives a reason, or goes on with a condition."""
    if _CAUSE.search(text[clause.span.char_start : trigger.char_start]):
        return True
    if _TO_KNOW.match(text[: trigger.char_start]):
        return True
    start = clause.subject.char_start if clause.subject else trigger.char_start
    return _IF_WHO.match(text, start, trigger.char_start) is not None


def _add(text: str, kept: list[ModalClause], clause: ModalClause) -> None:
    """Add a clause, or put it together with the last one if both are one verb phrase."""
    before = kept[-1] if kept else None
    if before is None or not _goes_on(text, before, clause):
        kept.append(clause)
    elif clause.modality in _FORBIDDING:
        # "should be prohibited"; "must not be prohibited" is left to a person.
        kept[-1:] = [] if before.modality in _FORBIDDING else [clause]
    else:  # "may not allow anybody"
        kept[-1] = _extended(before, clause)


def _after(ahead: ModalClause, clause: ModalClause) -> ModalClause:
    """Return a clause together with what stands ahead and says of what it is."""
    whole = TextSpan(char_start=ahead.span.char_start, char_end=clause.span.char_end)
    return replace(clause, span=whole, subject=None)


def _extended(clause: ModalClause, by: ModalClause) -> ModalClause:
    """Return a clause together with what follows it."""
    whole = TextSpan(char_start=clause.span.char_start, char_end=by.span.char_end)
    return replace(clause, span=whole)


def _is_within(text: str, kept: Sequence[ModalClause], clause: ModalClause) -> bool:
    """Return whether a modal expression is that of a clause that only says which thing is meant.

    No word joins it to the rule before it ("begin with the thing your readers should remember"), or
    it is a part of what that asks for ("ensure that it cannot be read").
    """
    before = kept[-1] if kept else None
    if (
        clause.trigger is None
        or before is None
        or before.trigger is None
        or before.span.char_end != clause.span.char_start
    ):
        return False
    own = text[clause.span.char_start : clause.trigger.char_start]
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return bool(
        clause.trigger.of(text).casefold() in _BARE
        or _A_THING.match(own)
        or _CONFIRMING.search(own)
        or _CARE.search(text, before.trigger.char_start, clause.trigger.char_start)
        or _THAT.match(own)
        or _ASKS.match(own)
        or _ASKED.search(between)
        or (not own and len(between.split()) > _ADVERBS and _OF_WHICH.search(between))
    )


def _goes_on(text: str, before: ModalClause, clause: ModalClause) -> bool:
    """Return whether two modal expressions are one verb phrase ("may require")."""
    if before.trigger is None or clause.trigger is None:
        return False
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return len(between.split()) <= _ADVERBS and _JOINED.search(between) is None


def _goes_on_at_once(text: str, before: ModalClause, clause: ModalClause) -> bool:
    """Return the same, where no comma parts them ("who should not feel discouraged")."""
    if before.trigger is None or clause.trigger is None:
        return False
    between = text[before.trigger.char_end : clause.trigger.char_start]
    return "," not in between and _goes_on(text, before, clause)


def actor_of(
    subject: str, trigger: str, after: str, lead_in: str, known: Mapping[str, str]
) -> RoleMention | None:
    """Return who a norm binds: the subject, the agent of a passive, or the lead-in's subject."""
    fronted = FRONTED.match(without_brackets(subject.strip()))
    own = subject.strip()[fronted.end() :] if fronted else subject
    demanded = _DEMANDED.match(f"{trigger}{after}")
    if demanded:
        return next(iter(find_roles(demanded["whom"], known)), None)
    if _PRONOUN.search(own):
        return None
    for text in (own, trigger):
        for role in find_roles(text, known):
            is_owner = text[role.end :].startswith(("'", "\u2019"))
            if _QUALIFIED.search(text[: role.start]) or _ONLY.search(text[: role.start]):
                return None  # the act is then told with its whole subject
            if text is own and _RECEIVES.match(after):
                break  # whoever gives it is bound
            if (
                not is_owner
                and _HEADS_ITS_PHRASE.match(text, role.end)
                and not _DEPENDENT.search(text[: role.start])
                and not _SAID_OF.search(text[: role.start])
                and not (
                    _IS_DONE.match(after)
                    and not (
                        _FIRST.fullmatch(text, 0, role.start) and not _LISTED.match(text, role.end)
                    )
                )
            ):
                return role
    passive = _PASSIVE.match(after)
    if passive and not _OF_A_NOUN.search(passive[0]):
        roles = find_roles(after[passive.end() : passive.end() + 60], known)
        behind = after[passive.end() + roles[0].end :] if roles else ""
        if (
            roles
            and roles[0].start <= 1
            and behind[:1] not in {"'", "\u2019"}
            and _HEADS_ITS_PHRASE.match(behind)
        ):
            return roles[0]
    return _actor_of_lead_in(lead_in, known)


def _actor_of_lead_in(lead_in: str, known: Mapping[str, str]) -> RoleMention | None:
    """Return the subject of what introduces a list, if it is a role."""
    fronted = FRONTED.match(without_brackets(lead_in))
    start = fronted.end() if fronted else 0
    triggers = [clause.trigger for clause in main_clauses(lead_in) if clause.trigger is not None]
    subject = lead_in[start : triggers[0].char_start if triggers else len(lead_in)]
    if _PRONOUN.search(subject):
        return None
    for role in find_roles(subject, known):
        if _HEADS_ITS_PHRASE.match(subject, role.end) and not _DEPENDENT.search(
            subject[: role.start]
        ):
            return role
    return None

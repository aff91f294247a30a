"""A rule's sentence taken apart, so that a question can be made of it: who, may or must, does what.

Only a sentence whose parts are plain is taken: one subject, one auxiliary, one verb phrase, and a
condition in front or behind. Any other gives no question: a set wants good questions, not all.
How many of them are good was counted (`docs/quality.md`).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.language.phrasing import plain, unmarked

MOST_WORDS, FEWEST_WORDS = 40, 4
"""Of a sentence that is taken apart."""
LONGEST = 400
"""Characters of one."""
_SUBJECT_WORDS = 12
_MODALS = r"must|may|shall|should|can"
_AUXILIARY = re.compile(
    rf"\b(?:(?P<modal>{_MODALS})(?P<not>(?:\s+also)?\s+(?:not|never))?|(?P<cannot>cannot)"
    r"|(?P<have>ha(?:s|ve) to)|(?P<be>is|are)(?P<benot>\s+not)?"
    r"|(?P<need>requires?|needs?)(?=\s(?!(?:to|not)\b)))\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:who|that|which)\b", re.IGNORECASE)
_RELATIVE_END = re.compile(r"\b(?:who|that|which|whom|whose|where|when|what|as)\s*$", re.IGNORECASE)
_FRONTED = re.compile(
    r"(?P<word>if|when|whenever|where|before|after|once|in case of|in the event of|upon)\s"
    r"(?P<rest>[^,]{3,150}),\s+",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r",?\s(?P<word>unless|except (?:where|when|if|for|in|with)|only (?:if|when|where|after|with)"
    r"|if|when|where|provided(?: that)?)\s(?P<rest>.+)$",
    re.IGNORECASE,
)
_CUT = re.compile(
    r",?\s(?:even if|whatever|regardless of|irrespective of|including|such as|e\.g\.|for example"
    r"|in particular|so that|in order to|as this|because|since|whether or not|as well as)\b.*$"
    r"|\s(?:and|but|or) (?:is|are|was|were|has|have|will|do|does)\b(?!-).*$"
    r"|,\s(?:which|who|as|but|so|to|in|with|by|at|on|for|unless|not|either|both|prior|after"
    r"|before|until|whether)\b.*$"
    r"|\s(?:\u2013|-)\s.*$",
    re.IGNORECASE,
)
_ONE_MORE = re.compile(r",\s(?:and|or)\b.*$", re.IGNORECASE)
"""What goes on behind a comma, unless it ends a list."""
_UNDER = re.compile(
    r"\b(?:that|which|who|if|when|where|before|after|until|unless|because|as|while|whom|what"
    r"|how)\b",
    re.IGNORECASE,
)
_LAST = re.compile(r"\b(?:and|or)\b", re.IGNORECASE)
"""Before the end of a list."""
_OPEN = re.compile(r"\b(?:and|or|but|to|of|the|an?|with|for|by|in|not|have)$", re.IGNORECASE)
_LOST = re.compile(r"^(?:\S+\s){1,4}(?:it|them|him|her|so)\b|^(?:\S+\s){1,7}(?:it|them)$")
"""A pronoun whose noun stands in another sentence."""
_AGAIN = re.compile(rf"\b(?:{_MODALS}|will|would|cannot)\b", re.IGNORECASE)
_JOINS = re.compile(r",?\s(?:and|but|or)\s", re.IGNORECASE)
_FILLERS = re.compile(
    r"^(?:also|therefore|then|however|generally|normally|always|at all times|in any case|in turn"
    r"|as a rule|accordingly|thus|all|first)\s",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:this|these|those|such|(?:above|below)(?!\s(?:[A-Z]{3}\s)?[$\u20ac\u00a3]?\d)|following|foregoing|aforementioned|said|hereby|herein"
    r"|thereof|hereunder|section|sections|clause|paragraph|annex|appendix|schedule|article|chapter"
    r"|table|same|former|latter|latest|accordance|pursuant|respectively|otherwise|et seq|https?"
    r"|www|latter|here|there)\b|(?<!\d)\d++\.\d++\.\d|[|{}<>()\[\]@_#*\\/\u2014?!]|\.\.",
    re.IGNORECASE,
)
"""What points elsewhere, so that the sentence alone does not say what it means."""
_POINTING = re.compile(
    r"(?:it|they|he|she|one|that|both|neither|none|others?|what|who|failure|note|please|there|"
    r"do|examples?|only|also|if|more|most|other|another|each of)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s?\([^()]{0,120}\)")
_VERB = re.compile(r"(?:be\s)?[a-z][a-z-]+", re.IGNORECASE)
_PEOPLE = re.compile(
    r"(?:(?:all|every|each|any|an|our|no)\s)?(?:(?:company|group)\s)?"
    r"(?:employees?|staff(?: members?)?|team members?|members of staff|colleagues?|you|everyone"
    r"|everybody|personnel|workers?|googlers?)",
    re.IGNORECASE,
)
_NOT_PLAIN = re.compile(
    r"^(?:for|in|at|by|on|under|with|as|from|to|during|if|when|where|unless|within)\b"
    r"|^(?:ensure|make|use|keep|check|contact|see|give|send|ask|let|try|consider|follow|report|take"
    r"|submit|be|verify|confirm|include|email|enter|click|select|go|complete|review|notify|create"
    r"|add|remove|set|do)\s",
    re.IGNORECASE,
)
"""A circumstance or an order instead of a subject ("ensure the time is logged")."""
_TWICE = re.compile(r"\b(\w+(?: \w+)?) \1\b", re.IGNORECASE)
_GAP = re.compile(r"\b(?:via|by|with|to) (?:from|with|by|via|of)\b", re.IGNORECASE)
"""Where a link was left out."""
_GLUED = re.compile(r"\s(?:Each|All|Most|Every|The|Any|An?|No|Our|Your|You|If|When|In)\s")
"""Where a heading or an item without a full stop ran into a sentence."""
_NO_CASE = re.compile(r"\w+ (?:one|so|not|it|they|he|she|any|there|applicable)\b")
"""A condition that points at another sentence ("if so", "if one exists")."""
_STATES = re.compile(
    r"(?:\w+ly )?(?:[a-z-]{2,}ed|responsible|exempt|liable|eligible|forbidden|kept|held|paid|made"
    r"|given|taken|bound|sent|written|built|run|put|shown|sold|bought|chosen|drawn|due)\b",
    re.IGNORECASE,
)
"""What "is" or "are" says of a rule: something done, or a duty; no description."""
_VAGUE = re.compile(
    r"(?:the|an?|any|all) (?:requests?|claims?|reports?|forms?|decisions?|originals?|information"
    r"|results?|approvals?|process|procedure|list|document|documents|record|notice|reason|reasons"
    r"|plan|review|changes?|event|item|items|activity|person|individual|matter|amount|exceptions?"
    r"|value|number|limits?|checks?|release|period|date|agreement|response|application|numbers|policy|case|cost"
    r"|costs|statement|file|files|assessment|meeting|system|ticket|tests?|issues?|team|answers?)",
    re.IGNORECASE,
)
"""A subject that only the sentences around it explain."""
_THE_ONE = re.compile(r"the [a-z]+", re.IGNORECASE)
_ROLE = re.compile(
    r"the (?:company|group|organi[sz]ation|firm|employer|business|bank|board|committee|department"
    r"|management|staff|public|\w+(?:er|or|ee|ant|ist|ive|ent))s?",
    re.IGNORECASE,
)
"""Whoever is known without having been named before."""
_NO_SUBJECT = re.compile(
    r"\b(?:will|would|do|does|did|could|might|not|also|however|then|if|when|because|while|other)\b"
    r"|n['\u2019]t\b"
    r"|\b(?:and|or|but|to|then|of|under|with|by|in|for|from)$",
    re.IGNORECASE,
)
_ACTS = frozenset(
    re.findall(
        r"\w+",
        "are is was were have has had work use need want travel receive hold leave handle process "
        "access manage become suspect see know wish stay require do believe contain store engage "
        "report make take fail live start join participate plan intend choose perform provide "
        "cannot may can must book drive resign arrive sign pay buy sell",
    )
)
"""Verbs that may follow "who" or "that" without an ending that tells them."""
_POSSIBLE = re.compile(
    r"(?:be )?(?:required|necessary|needed|subject|able|possible|aware|sure|result|vary|include"
    r"|appear|populate|receive|see|look|differ|change|contain|involve|lead|cause|exist|occur"
    r"|happen|depend|want|feel|wonder|notice|have)\b",
    re.IGNORECASE,
)
"""What "may" and "should" say is likely, and do not allow."""
_PLURALS = frozenset(
    {"staff", "people", "persons", "personnel", "children", "men", "women", "data"}
)
_SINGULARS = ("ss", "us", "is", "ness")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleClause:
    """A rule as it is asked about."""

    subject: str
    """Who or what, in small letters at its start unless it is a name."""
    is_people: bool
    """True: whoever works there, so that they ask it of themselves."""
    is_plural: bool
    """True: "do" and "are", not "does" and "is"."""
    auxiliary: str
    """`must`, `may`, `should`, `can`, `is` (also for "are"), or `do` before "require"."""
    is_negative: bool
    """True: it is forbidden, or is not so."""
    is_only: bool
    """True: "only", so that what follows is a condition."""
    predicate: str
    """What is done, without its condition; begins with a verb, or with what follows "is"."""
    before: str
    """Condition in front, as "if a receipt is lost"; empty: none."""
    behind: str
    """Condition behind, as "unless the manager agrees"; empty: none."""


def clause_of(text: str, names: Collection[str]) -> RuleClause | None:
    """Take a sentence apart; None if it is not plain enough.

    Args:
        text: As it stands in the policy.
        names: Words that are written with a capital within sentences, too.
    """
    if len(text) > LONGEST:
        return None
    said = " ".join(_ASIDE.sub("", " ".join(plain(unmarked(text)).split())).split())
    count = len(said.split())
    if not said.endswith(".") or not FEWEST_WORDS <= count <= MOST_WORDS or ":" in said:
        return None
    said = said[:-1].strip()
    if ";" in said or ". " in said or '"' in said or "\u201c" in said or not said[:1].isupper():
        return None
    fronted = _FRONTED.match(said)
    before = f"{fronted['word'].lower()} {fronted['rest']}" if fronted else ""
    main = said[fronted.end() :] if fronted else said
    if _NO_CASE.match(before):
        return None
    if _POINTS.search(main) or _POINTS.search(before) or _POINTING.match(main):
        return None
    return _main(main, before=small(before, names), names=names)


def _main(main: str, *, before: str, names: Collection[str]) -> RuleClause | None:
    found = _auxiliary(main)
    if found is None:
        return None
    subject, rest = main[: found.start()].strip(), main[found.end() :].strip()
    is_need = found["need"] is not None
    if is_need:
        rest = f"{found['need'].lower().rstrip('s')} {rest}"
    behind = _BEHIND.search(rest)
    predicate = rest[: behind.start()] if behind else rest
    said_behind = f"{behind['word'].lower()} {behind['rest']}" if behind else ""
    is_only = said_behind.startswith("only ")
    predicate = _cut(predicate)
    while _FILLERS.match(predicate):
        predicate = _FILLERS.sub("", predicate, count=1)
    if predicate.lower().startswith("only "):
        is_only, predicate = True, predicate[5:]
    no_one = re.match(r"(?:no one|nobody|no)\b\s*", subject, re.IGNORECASE)
    if no_one:
        subject = f"any {subject[no_one.end() :]}" if subject[no_one.end() :] else "anybody"
    is_freed = no_one and found["have"]
    is_forbidden = bool(found["not"] or found["benot"] or found["cannot"] or no_one)
    auxiliary = _named(found)
    if not _is_plain(subject, predicate) or (not before and _LOST.search(predicate)):
        return None
    if auxiliary == "is" and not _STATES.match(predicate):
        return None
    if auxiliary in {"may", "can", "should"} and _POSSIBLE.match(predicate):
        return None
    return RuleClause(
        subject=small(subject, names),
        is_people=_PEOPLE.fullmatch(subject) is not None,
        is_plural=_is_plural(subject, found),
        auxiliary=auxiliary,
        is_negative=is_forbidden and not is_freed,
        is_only=is_only,
        predicate=predicate.strip(),
        before=before,
        behind=said_behind.removeprefix("only "),
    )


def _auxiliary(main: str) -> re.Match[str] | None:
    """Return the auxiliary of the main clause, not one of a relative clause in the subject."""
    for found in _AUXILIARY.finditer(main):
        subject = main[: found.start()]
        if _RELATIVE_END.search(subject):
            continue
        relative = _RELATIVE.search(subject)
        if relative is None:
            return found
        verb = subject[relative.end() :].split()[:1]
        is_verb = bool(verb) and (verb[0] in _ACTS or verb[0].endswith(("s", "ed")))
        return None if found["be"] or found["need"] or not is_verb else found
    return None


def _named(found: re.Match[str]) -> str:
    if found["cannot"]:
        return "can"
    if found["have"]:
        return "must"
    if found["be"]:
        return "is"
    if found["need"]:
        return "do"
    modal = found["modal"].lower()
    return "must" if modal == "shall" else modal


def _cut(predicate: str) -> str:
    """Leave out what goes on behind the rule, and a second rule."""
    predicate = _CUT.sub("", predicate)
    more = _ONE_MORE.search(predicate)
    if more and ", " not in predicate[: more.start()]:
        predicate = predicate[: more.start()]
    again = _AGAIN.search(predicate)
    if again:
        joins = [one.start() for one in _JOINS.finditer(predicate, 0, again.start())]
        start = joins[-1] if joins else 0
        if not _UNDER.search(predicate, start, again.start()):
            predicate = predicate[:start]
    return predicate.strip(" ,")


def _is_cut_short(predicate: str) -> bool:
    """Say whether a list goes on after its last "and" or "or": its end was left out."""
    last = max((one.end() for one in _LAST.finditer(predicate)), default=0)
    return ", " in predicate[last:]


def _is_plain(subject: str, predicate: str) -> bool:
    words = subject.split()
    if not 0 < len(words) <= _SUBJECT_WORDS or ", " in subject or not predicate:
        return False
    if any(one.search(subject) for one in (_NO_SUBJECT, _NOT_PLAIN, _GLUED, _TWICE)):
        return False
    if _GAP.search(predicate) or (_THE_ONE.fullmatch(subject) and not _ROLE.fullmatch(subject)):
        return False
    if _VAGUE.fullmatch(subject) or _OPEN.search(predicate) or _is_cut_short(predicate):
        return False
    return _VERB.match(predicate) is not None and len(predicate.split()) > 1


def _is_plural(subject: str, found: re.Match[str]) -> bool:
    told = (found["be"] or found["need"] or "").lower()
    if told:
        return told in {"are", "require", "need"}
    head = re.split(
        r"\s(?:of|in|for|to|with|who|that|which|on|from|by|at|above|below|over|under|worth|more"
        r"|up|between|received|given|used|made|required|whose|without|during|within|under|against"
        r"|about|as|via|through|outside|into|(?:\w+ed|\w+ing) (?:by|to|in|for|with|from|of|on|at"
        r"|the|an?|via|as|through|under|that))\b",
        subject.lower(),
        maxsplit=1,
    )[0]
    if re.match(r"(?:a|an|each|every|any|one|anybody)\b", head) and not head.endswith("s"):
        return False
    head = re.split(r"(?<=s)\s(?:\w+ing|sent|made|held|issued|found|taken|paid)\b", head)[0]
    last = head.split()[-1]
    if last in {"you", "we"} or re.search(r"\w\s(?:and)\s\w", head):
        return True
    return last in _PLURALS or (last.endswith("s") and not last.endswith(_SINGULARS))


def small(text: str, names: Collection[str]) -> str:
    """Write what begins a sentence as it stands within one."""
    first = re.split(r"[\s-]", text, maxsplit=1)[0]
    is_word = first[1:].islower() or first in {"A", "An"} or text.startswith("E-mail")
    return text[:1].lower() + text[1:] if is_word and first not in names else text


_WORD = re.compile(r"[A-Za-z][A-Za-z'\u2019]*")
_WITHIN = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the words that texts write with a capital within sentences, more often than not."""
    small: Counter[str] = Counter()
    large: Counter[str] = Counter()
    for text in texts:
        small.update(one for one in _WORD.findall(text) if one[0].islower())
        large.update(_WITHIN.findall(text))
    return frozenset(word for word, count in large.items() if count > small[word.lower()])

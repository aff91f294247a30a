"""Statements changed so that what bore them out no longer does: contrast sets, made by rules.

A guard that has read only written statements learns their words. So each supported statement is
shown beside itself with one thing changed (Gardner et al. 2020, Evaluating Models' Local Decision
Boundaries via Contrast Sets), beside its text with the same thing changed, and beside both with the
change, where it is supported again: no word gives the label away, only the comparison does.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Draw = random.Random


@dataclass(frozen=True, slots=True)
class Change:
    """One replacement in a text."""

    kind: str
    """As in written statements: `neg`, `mod`, `num`, `time`, `who`, `cond`, `scope`, `add`."""
    start: int
    end: int
    """Characters that are replaced."""
    new: str

    def applied(self, text: str) -> str:
        """Return the text with it, with one space between words."""
        changed = f"{text[: self.start]}{self.new}{text[self.end :]}"
        changed = re.sub(r"\s+([,.;])", r"\1", re.sub(r"\s{2,}", " ", changed)).strip()
        return changed[:1].upper() + changed[1:] if text[:1].isupper() else changed


Rule = tuple[str, re.Pattern[str], Callable[[re.Match[str], Draw], str]]


def _rules(table: Iterable[tuple[str, str, Sequence[str]]]) -> list[Rule]:
    def among(options: Sequence[str]) -> Callable[[re.Match[str], Draw], str]:
        return lambda found, draw: found.expand(draw.choice(options))

    return [(kind, re.compile(p, re.IGNORECASE), among(options)) for kind, p, options in table]


_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS = _COUNTED.split()
_UNITS = ("hour", "day", "business day", "week", "month", "quarter", "year")
_EVERY = ("daily", "weekly", "monthly", "quarterly", "annually", "every two years")
"""One of each length: a change to another of them is one."""
_ROLES = (
    "your manager",
    "the employee",
    "HR",
    "the Legal team",
    "the Security team",
    "the Security Officer",
    "the Privacy Officer",
    "the Compliance Officer",
    "the CEO",
    "the CFO",
    "the IT team",
    "the finance team",
    "the board",
    "the customer",
    "the vendor",
    "an external auditor",
    "the system owner",
    "the People team",
)
_ROLE = re.compile(
    r"\b(?:the|your|their|his or her|a|an)?\s?\b(?:"
    r"(?:line |direct |hiring |project )?(?<!password )managers?|"
    r"supervisors?|HR|human resources|legal(?: team| department)?|security (?:team|officer|lead)|"
    r"privacy (?:team|officer)|compliance (?:team|officer)|CEO|CFO|CTO|CISO|COO|"
    r"IT(?: team| manager| department)?|finance(?: team)?|people (?:team|ops)|"
    r"board(?: of directors)?|"
    r"auditors?|system owner|contracting officer|administrators?|team leads?)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-]|\.\d)")
_WORDED = re.compile(rf"\b(?:{'|'.join(_NUMBERS[1:])})\b", re.IGNORECASE)
_DURATION = re.compile(
    r"\b(business days|working days|calendar days|hours?|days?|weeks?|months?|years?|minutes?)\b"
)
_OFTEN = re.compile(
    r"\b(?:annually|yearly|monthly|weekly|daily|quarterly|every year|once a year|each year|"
    r"every month|every quarter)\b",
    re.IGNORECASE,
)
_BE = r"\b(is|are|was|were|am)\b"

_CHANGES = _rules(
    [
        # What is forbidden is allowed, and what is allowed or a duty is not.
        ("neg", r"\bmust not\b|\bmustn't\b|\bmay never\b|\bmust never\b", ["may", "must", "can"]),
        ("neg", r"\b(?:cannot|can ?not|can't|may not|shall not)\b", ["can", "may", "are free to"]),
        ("neg", r"\bshould not\b|\bshouldn't\b", ["should", "may"]),
        ("neg", r"\b(will|would|could|need|must|is|are|was|were|has|have) not\b", [r"\1"]),
        ("neg", r"\b(?:do|does|did) not (?:have|need) to\b", ["must", "have to"]),
        ("neg", r"\b(?:don't|doesn't) (?:have|need) to\b", ["must", "have to"]),
        ("neg", r"\b(?:do|does|did) not\b|\b(?:don't|doesn't|didn't)\b", ["", "always", "may"]),
        ("neg", r"\b(is|are|was|were|will|has|have)n't\b", [r"\1"]),
        ("neg", r"\bwon't\b", ["will"]),
        (
            "neg",
            r"\b(?:prohibited|forbidden|disallowed|banned)\b",
            ["permitted", "allowed", "fine"],
        ),
        ("neg", r"\bnot (?:allowed|permitted)\b", ["allowed", "permitted", "restricted"]),
        ("neg", r"\bnot (?:required|needed|necessary)\b", ["required", "necessary"]),
        ("neg", r"\bunder no circumstances\b", ["in some circumstances"]),
        ("neg", r"\bnever\b", ["always", "sometimes", "usually"]),
        ("neg", r"\balways\b", ["never"]),
        ("neg", r"\bnobody\b|\bno one\b", ["anyone", "everybody"]),
        ("neg", r"(?<!\w)no (?=\w+)(?!no (?:later|more|less|fewer))", ["any ", "every "]),
        ("neg", r"\bnot only\b", ["only"]),
        ("neg", r"(?<!not )\bonly\b", ["", "also", "not only"]),
        ("neg", r"\bsolely\b|\bexclusively\b", ["mainly", "also"]),
        ("neg", r"\bwithout\b", ["with"]),
        ("neg", r"\b(must|should|may|can|shall|will)\b(?! not| never)", [r"\1 not"]),
        ("neg", r"\b(?:must|shall|has to|have to|needs? to)\b(?! not)", ["need not"]),
        ("neg", r"\b(?:is|are) (?:required|obliged) to\b", ["need not", "are not required to"]),
        ("neg", r"(?<!not )\b(allowed|permitted|required|eligible|entitled)\b", [r"not \1"]),
        ("neg", r"(?<!not )\b(?:allowed|permitted) to\b", ["forbidden to", "barred from it to"]),
        ("neg", r"\brequires\b", ["does not require"]),
        ("neg", r"\b(?:need|require)\b(?! to| not)", ["do not need"]),
        ("neg", rf"{_BE}(?! not| never| no\b)", [r"\1 not"]),
        ("neg", r"\b(?:limited|restricted) to\b", ["not limited to", "open beyond"]),
        ("neg", r"\bfree to\b", ["not free to"]),
        ("neg", r"\bYes,", ["No,"]),
        ("neg", r"\bNo,", ["Yes,"]),
        # A duty becomes advice or a choice, and the other way round.
        (
            "mod",
            r"\b(?:must|shall|has to|have to|needs? to|(?:is|are) required to)\b(?! not)",
            ["should", "may", "can", "could", "are encouraged to", "might want to"],
        ),
        ("mod", r"\b(?:must|shall) not\b|\bcannot\b", ["should not", "should try not to"]),
        ("mod", r"\bshould\b(?! not)", ["must", "may", "is required to", "can"]),
        (
            "mod",
            r"\b(?:may|can|might)\b(?! not)",
            ["must", "will", "should", "has to", "will always"],
        ),
        ("mod", r"\bwill\b(?! not)", ["may", "might", "could"]),
        (
            "mod",
            r"(?<!not )\b(?:required|mandatory)\b(?! to)",
            ["recommended", "optional", "advised"],
        ),
        ("mod", r"\b(?:recommended|encouraged|advised|suggested)\b", ["required", "obliged"]),
        ("mod", r"\b(?:optional|voluntary)\b", ["mandatory", "recommended"]),
        ("mod", r"\b(?:prohibited|forbidden|not allowed)\b", ["discouraged", "not recommended"]),
        ("mod", r"\bensure\b", ["try to ensure", "consider whether"]),
        ("mod", r"\b(?:where|when|whenever|if) (?:possible|feasible|practicable)\b", ["always"]),
        ("mod", r"\breserves the right to\b", ["will always", "must"]),
        ("mod", r"\bmust\b(?! not)", ["must, where possible,"]),
        # Limits the other way round.
        ("num", r"\b(?:at least|a minimum of|no less than|no fewer than)\b", ["at most", "up to"]),
        ("num", r"\b(?:at most|up to|a maximum of|no more than)\b", ["at least", "more than"]),
        ("num", r"\b(?:more than|over|exceeding|above)(?= [$€£]?\d)", ["less than", "up to"]),
        ("num", r"\b(?:less than|under|below)(?= [$€£]?\d)", ["more than", "at least"]),
        ("num", r"\bminimum\b", ["maximum"]),
        ("num", r"\bmaximum\b", ["minimum"]),
        ("num", r"\$(?=\d)", ["€", "£"]),
        ("num", r"\b(?:both|all)\b", ["one of", "either of"]),
        # Times.
        ("time", r"\b(?:before|prior to|in advance of|ahead of)\b", ["after", "once they begin"]),
        ("time", r"\b(?:after|following|upon|once)\b", ["before", "prior to"]),
        ("time", r"\bwithin\b(?= \w+ \w+)", ["after", "at the earliest after"]),
        (
            "time",
            r"\b(?:immediately|promptly|right away|as soon as possible)\b",
            ["within a month"],
        ),
        ("time", r"\b(?:immediately|promptly|without delay)\b", ["eventually", "when convenient"]),
        ("time", r"\bduring\b", ["after", "before"]),
        ("time", r"\bno later than\b", ["no earlier than"]),
        ("time", r"\buntil\b", ["from"]),
        ("time", r"\bper (year|month|week|day)\b", ["per quarter", "per trip", "per item"]),
        # Conditions turned or dropped.
        ("cond", r",?\s(?:unless|except|provided|as long as|so long as)\b[^.;]*(?=[.;]|$)", [""]),
        ("cond", r",?\s(?:if|when|where|only if)\b[^,.;]{8,}(?=[.;]|$)", [""]),
        ("cond", r"^(?:if|when|unless|where)\b[^,.;]{4,}, ", [""]),
        ("cond", r"\bunless\b", ["even if", "if"]),
        ("cond", r"\bexcept(?: for)?\b", ["including", "and also"]),
        ("cond", r"\bincluding\b", ["except", "other than"]),
        ("cond", r"\bif\b", ["even if", "unless", "whether or not"]),
        (
            "cond",
            r"\s(?:with|without|after|subject to|upon)(?: the)?"
            r"(?: prior| express| explicit| written)*"
            r" (?:approval|consent|permission|authori[sz]ation|agreement)\b[^,.;]*",
            [""],
        ),
        ("cond", r"\band\b(?= [\w ]{2,40}[.;]?$)", ["or"]),
        # Who or what it is about, and where.
        ("scope", r"\b(?:full-time|new|permanent|regular|remote|eligible) (?=\w)", ["all ", ""]),
        ("scope", r"\b(?:some|certain|most|many|selected)\b", ["all"]),
        (
            "scope",
            r"\b(?:all|every|each|any)\b(?! \d| (?:year|month|week|day|quarter|two|time))",
            ["some", "only some"],
        ),
        ("scope", r"\bemployees\b", ["contractors", "managers", "employees and contractors"]),
        ("scope", r"\b(?:contractors|vendors|customers)\b", ["employees", "everyone"]),
        ("who", r"\b(?:your|their) own\b", ["somebody else's"]),
    ]
)
_SAME = _rules(
    [
        ("", r"\bmust not\b", ["may not", "cannot", "are not allowed to", "shall not"]),
        ("", r"\b(?:may not|cannot|can't|shall not)\b", ["must not", "are not permitted to"]),
        ("", r"\b(?:must|shall)\b(?! not)", ["have to", "need to", "are required to", "must"]),
        ("", r"\b(?:have to|need to|has to|needs to)\b(?<!not have to)(?<!not need to)", ["must"]),
        ("", r"\b(?:is|are) required to\b", ["must", "have to"]),
        ("", r"\bmay\b(?! not)", ["can", "are allowed to", "are free to", "are permitted to"]),
        ("", r"\b(?:can)\b(?! not)", ["may"]),
        ("", r"\b(?:is|are) (?:allowed|permitted) to\b", ["may", "can"]),
        ("", r"\bshould\b", ["ought to"]),
        ("", r"\bprohibited\b", ["forbidden", "not allowed", "not permitted", "off limits"]),
        ("", r"\bforbidden\b|\bnot (?:allowed|permitted)\b", ["prohibited", "not acceptable"]),
        ("", r"\b(?:before|prior to)\b", ["before", "prior to", "ahead of"]),
        ("", r"\bafter\b", ["following", "once there is"]),
        (
            "",
            r"\bwithin (\w+ (?:business |working )?(?:days|hours|weeks|months)) of\b",
            [r"no later than \1 after", r"at most \1 after", r"in the \1 after"],
        ),
        ("", r"\bwithin\b", ["in", "no later than"]),
        ("", r"\b(?:annually|yearly)\b", ["every year", "once a year", "each year"]),
        ("", r"\bquarterly\b", ["every quarter", "every three months"]),
        ("", r"\bmonthly\b", ["every month", "once a month"]),
        ("", r"\bat least\b", ["no fewer than", "a minimum of"]),
        ("", r"\bup to\b", ["at most", "no more than"]),
        ("", r"\bmore than(?= [$€£]?\d)", ["over", "above"]),
        ("", r"\b(?:over|exceeding)(?= [$€£]?\d)", ["more than", "above"]),
        ("", r"\b(?:less than|under)(?= [$€£]?\d)", ["below", "under"]),
        ("", r"\bunless\b", ["except if", "except when"]),
        ("", r"\b(?:immediately|promptly)\b", ["right away", "without delay", "at once"]),
        ("", r"\b(?:do not|does not|don't)\b", ["do not", "don't"]),
        ("", r"\b(?:all|every|each) employees?\b", ["every employee", "all employees", "staff"]),
        ("", r"^(?:all )?(?:employees|users|workforce members|staff|teammates)\b", ["You"]),
        ("", r"\b(?:is|are) responsible for\b", ["is in charge of", "takes responsibility for"]),
        ("", r"\bensure\b", ["make sure"]),
        ("", r"\b(?:obtain|receive)\b", ["get"]),
        ("", r"\b(?:purchase)\b", ["buy"]),
        ("", r"\b(?:utili[sz]e)\b", ["use"]),
        ("", r"\bnotify\b", ["inform", "tell"]),
        ("", r"\bapproval\b", ["permission", "the OK"]),
        ("", r"\b(?:terminated|termination)\b", ["dismissal"]),
        ("", r"\bprovided(?: that)?\b|\bas long as\b", ["if", "on condition that"]),
        ("", r"\bannual\b", ["yearly"]),
        ("", r"\ba year\b", ["per year", "annually"]),
    ]
)
_ADDED = (
    ("add", " and get your manager's approval first"),
    ("time", " within five business days"),
    ("time", " within 24 hours"),
    ("time", " every year"),
    ("cond", ", whatever the amount"),
    ("cond", " unless your manager agrees"),
    ("cond", " once HR has approved it"),
    ("cond", ", but only during working hours"),
    ("scope", " in every country"),
    ("scope", ", contractors included"),
    ("add", " and keep a copy for seven years"),
    ("add", ", or you will be dismissed"),
    ("neg", ", without asking anyone"),
    ("mod", " if you wish"),
    ("mod", " where possible"),
)
_END = re.compile(r"[.;:!]?\s*$")


def changes(text: str, draw: Draw) -> list[Change]:
    """Return changes that each make a statement say something else, some of each kind."""
    found = _by_rules(text, _CHANGES, draw)
    found += [*_figures(text, draw), *_durations(text, draw), *_roles(text, draw)]
    kind, added = draw.choice([one for one in _ADDED if one[1].strip(" ,") not in text])
    end = _END.search(text)
    found.append(Change(kind, end.start() if end else len(text), len(text), f"{added}."))
    return [one for one in found if one.applied(text).lower() != text.lower()]


def reworded(text: str, draw: Draw, *, most: int = 3) -> str:
    """Return the text with up to so many phrases replaced by others that say the same."""
    for _ in range(draw.randint(1, most)):
        options = _by_rules(text, _SAME, draw)
        if not options:
            break
        text = draw.choice(options).applied(text)
    if draw.random() < 0.5:
        text = _figures_worded(text)
    return text


def _by_rules(text: str, rules: Sequence[Rule], draw: Draw) -> list[Change]:
    found: list[Change] = []
    for kind, pattern, new in rules:
        places = list(pattern.finditer(text))
        if places:
            one = draw.choice(places)
            found.append(Change(kind, one.start(), one.end(), _cased(one[0], new(one, draw))))
    return found


def _cased(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() and old[1:2].islower() else new


def _figures(text: str, draw: Draw) -> list[Change]:
    found: list[Change] = []
    for one in _FIGURE.finditer(text):
        value = float(one[0].replace(",", ""))
        if value == int(value):
            whole = int(value)
            others = {whole * 2, whole + 1, whole * 10, whole // 2, whole + 5, max(1, whole - 1)}
            chosen = draw.choice(sorted(others - {whole}))
            new = f"{chosen:,}" if "," in one[0] else str(chosen)
        else:
            new = f"{value * draw.choice((0.5, 2, 1.5)):g}"
        found.append(Change("num", *one.span(), new))
    for one in _WORDED.finditer(text):
        others = [word for word in _NUMBERS[1:13] if word != one[0].lower()]
        if one[0].lower() != "one":
            found.append(Change("num", *one.span(), _cased(one[0], draw.choice(others))))
    return draw.sample(found, min(2, len(found)))


def _durations(text: str, draw: Draw) -> list[Change]:
    found: list[Change] = []
    for one in _DURATION.finditer(text):
        before = text[: one.start()].rstrip()
        if not re.search(
            r"(?:\d|\b(?:an?|per|each|every|" + "|".join(_NUMBERS[1:]) + r"))$", before
        ):
            continue
        is_plural = one[0].endswith("s")
        others = [unit for unit in _UNITS if unit not in one[0]]
        new = draw.choice(others)
        found.append(Change("time", *one.span(), f"{new}s" if is_plural else new))
    for one in _OFTEN.finditer(text):
        stems = ("da", "week", "month", "quarter")
        same = next((stem for stem in stems if stem in one[0].lower()), "annual")
        new = draw.choice([often for often in _EVERY if same not in often])
        found.append(Change("time", *one.span(), new))
    return draw.sample(found, min(2, len(found)))


def _roles(text: str, draw: Draw) -> list[Change]:
    found: list[Change] = []
    for one in _ROLE.finditer(text):
        words = one[0].lower().split()
        others = [role for role in _ROLES if not set(words) & set(role.lower().split()) - {"the"}]
        new = draw.choice(others)
        lead = " " if one[0].startswith(" ") else ""
        found.append(Change("who", *one.span(), lead + _cased(one[0].strip(), new)))
    return draw.sample(found, min(1, len(found)))


def _figures_worded(text: str) -> str:
    def worded(found: re.Match[str]) -> str:
        value = found[0]
        known = value.isdigit() and 1 < int(value) < len(_NUMBERS)
        return _NUMBERS[int(value)] if known else value

    return _FIGURE.sub(worded, text)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A statement beside a text, and whether the text bears it out."""

    claim: str
    text: str
    is_supported: bool
    kind: str


KINDS_SHOWN = 4
"""Changed statements of a contrast set, each of another kind where there are so many."""


def contrast_set(claim: str, text: str, draw: Draw, *, is_written: bool) -> list[Contrast]:
    """Return a supported statement with its text, reworded, changed, and changed with its text.

    Args:
        claim: The statement.
        text: What bears it out, without headings.
        draw: What is drawn at random.
        is_written: Whether a person wrote the statement; else it is the text itself, and is
            reworded first.
    """
    plain = claim if is_written else reworded(claim, draw)
    found = [Contrast(plain, text, is_supported=True, kind="faithful")]
    if draw.random() < 0.5:
        found.append(Contrast(reworded(plain, draw), text, is_supported=True, kind="faithful"))
    options = changes(plain, draw)
    draw.shuffle(options)
    # Negation and strength first in half of the sets: they are what words alone tell least.
    if draw.random() < 0.5:
        options.sort(key=lambda one: one.kind not in ("neg", "mod"))
    chosen: list[Change] = []
    for change in options:
        if [one.kind for one in chosen].count(change.kind) < 2 and len(chosen) < KINDS_SHOWN:
            chosen.append(change)
    found += [
        Contrast(one.applied(plain), text, is_supported=False, kind=one.kind) for one in chosen
    ]
    for change in chosen:
        old = plain[change.start : change.end]
        if change.kind in ("add", "cond", "scope") or text.count(old) != 1 or not old.strip():
            continue
        at = text.index(old)
        other = Change(change.kind, at, at + len(old), change.new).applied(text)
        found.append(Contrast(plain, other, is_supported=False, kind=change.kind))
        found.append(Contrast(change.applied(plain), other, is_supported=True, kind="faithful"))
        break
    return found

"""What kind of answer a question wants, by the words it begins with."""

import re
from collections.abc import Callable
from enum import StrEnum

from core.domain.modality import Modality, modality
from core.domain.quantities import quantities


class Intent(StrEnum):
    """The kinds of question; values are those of `Plan.intent`."""

    COMPARISON = "comparison"
    DEFINITION = "definition"
    PROCEDURE = "procedure"
    THRESHOLD = "threshold"
    DEADLINE = "deadline"
    ROLE = "role"
    PERMISSION = "permission"
    REASON = "reason"
    GENERAL = "general"


_RULES: tuple[tuple[Intent, str], ...] = (
    (Intent.REASON, r"^(?:and |but )?why\b|\bwhat is the (?:reason|point|purpose)\b|\bhow come\b"),
    (
        Intent.DEFINITION,
        r"^who (?:is|are|counts as) (?:an? )(?!.*\b(?:responsible|charge|allowed)\b)",
    ),
    (
        Intent.COMPARISON,
        r"\bdiffer(?:s|ed|ences?|ent)?\b|\bversus\b|\bvs\.?\b|\bcompare[ds]?\b|\bas opposed to\b",
    ),
    (
        Intent.DEADLINE,
        r"\bhow (?:long|soon|fast|quick(?:ly)?|often|early)\b|\b(?:by|until|till|since|from) when\b"
        r"|\b(?:until|by|at|before) (?:what|which) time\b|^when\b|\bwhen (?:do"
        r"|must|should|does|is|are)\b"
        r"|\bdeadlines?\b|\bhow many (?:\w+ )?(?:days|weeks|months|years|hours|minutes)\b"
        r"|\btime limit\b|\bretention period\b"
        r"|\bhow much (?:time|notice)\b|\bwithin what time\b",
    ),
    (
        Intent.THRESHOLD,
        r"\bhow (?:much|many|high|large|big|expensive)\b|\blimits?\b|\bmax(?:imum)?\b"
        r"|\bmin(?:imum)?\b|\brates?\b"
        r"|\bamounts?\b|\bthresholds?\b|\bcosts?\b|\bpercent(?:age)?\b|\bbudget\b|\bcap\b|\bpoints\b",
    ),
    (
        Intent.ROLE,
        r"^who(?:m|se)?\b|\bwho (?:has|must|do|does|should|is|can|approves?|decides?|signs?"
        r"|needs?|checks?|owns?)\b"
        r"|\bwhose\b|\bwhich (?:department|team|person|role)\b|\bwhom\b",
    ),
    (
        Intent.DEFINITION,
        r"^what (?:is|are|does)\b.*\bmean|\bwhat (?:counts|qualifies) as\b|\bdefinition of\b"
        r"|\bdefine[ds]?\b"
        r"|\bwhat do(?:es)? .* mean\b|\bmeaning of\b|^(?:who|what)(?:'s| is"
        r"| are) (?:an? )?[\w\s-]{3,40}\?*$",
    ),
    (
        Intent.PERMISSION,
        r"^(?:can|may|could|am|are|is|do|does|must|should|shall|would)\b|\b(?:can|may|must"
        r"|should) (?:i|we|you|they|an?|the|\w+)\b"
        r"|\ballowed\b|\bpermitted\b|\bok(?:ay)?\b|\bforbidden\b|\bneed to\b|\bhave to\b",
    ),
    (
        Intent.PROCEDURE,
        r"^how\b|\bsteps?\b|\bprocess\b|\bprocedure\b|\bwhat happens\b|\bwhat (?:do|should"
        r"|must) i do\b",
    ),
)
_COMPILED = tuple((intent, re.compile(pattern, re.IGNORECASE)) for intent, pattern in _RULES)
_DEFINES = re.compile(
    r"\bmeans?\b|\brefers? to\b|\b(?:is|are) defined as\b|\bare (?:all|any|those|information"
    r"|persons?|natural)\b|\bis (?:an?|any|every)\b",
    re.IGNORECASE,
)
_ROLE_WORDS = re.compile(
    r"\b(?:officer|manager|managers|department|committee|board|director|counsel|team|head|council|desk|controller|auditor"
    r"|owner|supervisor|hr|function|office|employee|contractor|staff|group|unit|representative|chair)s?\b",
    re.IGNORECASE,
)
_NOUGHT = re.compile(r"\b(?:none|nil|zero|no (?:upper )?limit|unlimited)\b", re.IGNORECASE)
_TO_SOMEBODY = re.compile(r"\b(?:to|by|with|from) (?:the|its|their|our) [\w-]+", re.IGNORECASE)
_PERIODIC = re.compile(
    r"\b(?:annual(?:ly)?|yearly|monthly|weekly|daily|quarterly|every (?:\w+ )?(?:days?|weeks?"
    r"|months?|quarters?|years?)|once a|immediately"
    r"|without (?:undue )?delay|at once|promptly|same day|permanently|indefinitely|each (?:day"
    r"|week|month|quarter|year))\b",
    re.IGNORECASE,
)
_REASONED = re.compile(
    r"\b(?:because|so that|in order to|reasons?|since|therefore|why|purpose|aims?|easier"
    r"|protects?|avoids?|prevents?|would)\b",
    re.IGNORECASE,
)
_NUMBERED = frozenset({"amount", "percentage", "number"})
OPEN = 0.5
"""What any sentence counts where the kind of answer is open."""
UNRULED = 0.3
"""What a sentence counts that neither requires nor allows, where that was asked."""
NEARLY = 0.4
"""What a sentence counts that forbids where a figure was asked for, or tells a time where another
was."""


_CONTRACTED = (
    (
        re.compile(r"\b(what|who|where|when|how|that|it|there|here)['\u2019]s\b", re.IGNORECASE),
        r"\1 is",
    ),
    (re.compile(r"\bi['\u2019]m\b", re.IGNORECASE), "I am"),
    (re.compile(r"\b(\w+)['\u2019]ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(\w+)['\u2019]re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(\w+)['\u2019]ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\b(\w+)['\u2019]d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\bcan['\u2019]t\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon['\u2019]t\b", re.IGNORECASE), "will not"),
    (re.compile(r"\b(\w+)n['\u2019]t\b", re.IGNORECASE), r"\1 not"),
)


def plain(text: str) -> str:
    """Return the text with contractions written out ("what's" -> "what is"), on one line."""
    for pattern, full in _CONTRACTED:
        text = pattern.sub(full, text)
    return " ".join(text.split())


def intents_of(text: str) -> tuple[Intent, ...]:
    """Return the kinds that a question has marks of, the most telling first; never empty."""
    folded = plain(text)
    found = tuple(intent for intent, pattern in _COMPILED if pattern.search(folded))
    return found or (Intent.GENERAL,)


def defined_in(sentence: str) -> str | None:
    """Return what a sentence defines (the words before "means"), or None if it is no definition."""
    found = _DEFINES.search(sentence)
    return sentence[: found.start()] if found else None


def fits(intent: Intent, sentence: str) -> float:
    """Return how well a sentence is of the kind that an intent wants.

    1 if it is, 0 if not, and something between where the kind says little.
    """
    checks: dict[Intent, Callable[[str], float]] = {
        Intent.DEFINITION: lambda text: float(defined_in(text) is not None),
        Intent.REASON: lambda text: float(bool(_REASONED.search(text))),
        Intent.ROLE: _names_somebody,
        Intent.PERMISSION: lambda text: 1.0 if modality(text) is not Modality.NONE else UNRULED,
        Intent.DEADLINE: _tells_time,
        Intent.THRESHOLD: _tells_figure,
    }
    check = checks.get(intent)
    return check(sentence) if check else OPEN


def _names_somebody(sentence: str) -> float:
    if _ROLE_WORDS.search(sentence):
        return 1.0
    return NEARLY if _TO_SOMEBODY.search(sentence) else 0.0


def _tells_time(sentence: str) -> float:
    timed = any(found.kind in {"duration", "date", "time"} for found in quantities(sentence))
    return 1.0 if timed or _PERIODIC.search(sentence) else _forbids(sentence)


def _tells_figure(sentence: str) -> float:
    kinds = {found.kind for found in quantities(sentence)}
    if kinds & _NUMBERED or _NOUGHT.search(sentence):
        return 1.0
    return NEARLY if "duration" in kinds else _forbids(sentence)


def _forbids(sentence: str) -> float:
    """Count a plain prohibition.

    "how many days may a contractor ...?" may be answered by "none".
    """
    return NEARLY if modality(sentence) is Modality.MUST_NOT else 0.0

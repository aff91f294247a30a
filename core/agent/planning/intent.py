"""What kind of answer a question wants, and the facts on which rules branch.

Those facts (facets) are the country, the kind of employment and the amount, in questions and in
policy text alike. An example worth EUR 25 says nothing about EUR 40; a limit holds for both.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from core.domain.question import JURISDICTION
from core.expressions import expression
from core.grounding.bounds import Bound, BoundedQuantity, bounds
from core.language.jurisdictions import jurisdictions_in, rules_of, without_jurisdictions
from core.language.text_cache import cached_by_text

_EMPLOYMENTS: dict[str, str] = {
    "employee": r"(?:(?:i'm|i am|as|for|are|an?|any|all|permanent|full-time|part-time|two|our)"
    r"\s*+)?(?:employees?|permanent staff|staff members?)",
    "contractor": r"contractors?|freelancers?|external workers?|agency workers?",
}
_EMPLOYMENT_PATTERNS = {
    name: expression(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
    for name, pattern in _EMPLOYMENTS.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What a text says of the country and of the kind of employment."""

    jurisdictions: frozenset[str] = frozenset()
    """ISO 3166 codes."""
    employments: frozenset[str] = frozenset()
    """`employee`, `contractor`."""

    def of(self, slot: str) -> frozenset[str]:
        """Return the values for a slot."""
        return self.jurisdictions if slot == JURISDICTION else self.employments


@cached_by_text()
def facets_of(text: str) -> Facets:
    """Read the facets of a text."""
    return Facets(
        jurisdictions=jurisdictions_in(text, with_cities=True),
        employments=frozenset(
            name for name, pattern in _EMPLOYMENT_PATTERNS.items() if pattern.search(text)
        ),
    )


def last_facets_of(parts: tuple[str, ...]) -> Facets:
    """Read the facets of a thread: for each, the last message that says something counts."""
    jurisdictions: frozenset[str] = frozenset()
    employments: frozenset[str] = frozenset()
    for part in parts:
        found = facets_of(part)
        # A country to which somebody goes is not the one whose rules hold for them.
        jurisdictions = rules_of(part) or jurisdictions
        employments = found.employments or employments
    return Facets(jurisdictions=jurisdictions, employments=employments)


def without_facets(text: str) -> str:
    """Return the text without the words that name a country or a kind of employment."""
    text = without_jurisdictions(text)
    for pattern in _EMPLOYMENT_PATTERNS.values():
        text = pattern.sub(" ", text)
    return text


_GIVEN = expression(
    r"\b(?:worth|of|for|costs|costing|priced\s+at|valued\s+at|value|about|some|is)\s*$",
    re.IGNORECASE,
)
_LIMITS = expression(
    r"\b(?:limits?|thresholds?|ceilings?|caps?|maxim\w+|minim\w+|allowances?|budgets?|rates?|fees?"
    r"|fines?|penalt\w+|deductibles?)\b",
    re.IGNORECASE,
)


def amounts_of(question: str) -> frozenset[str]:
    """Return the amounts that a question names, in their canonical form."""
    return frozenset(one.quantity.canonical for one in bounds(question) if _is_amount(one))


def is_of_another_amount(asked: frozenset[str], sentence: str) -> bool:
    """Say whether a sentence speaks of a case with another amount than those of the question.

    A bound ("up to EUR 50") or a limit holds for every amount: it is no case. A question without
    an amount is about all of them.
    """
    if not asked or _LIMITS.search(sentence):
        return False
    amounts = [one for one in bounds(sentence) if _is_amount(one)]
    if any(one.bound is not Bound.NONE for one in amounts):
        return False
    given = {
        one.quantity.canonical
        for one in amounts
        if _GIVEN.search(sentence[: one.quantity.span.char_start])
    }
    return bool(given) and not given & asked


def _is_amount(one: BoundedQuantity) -> bool:
    return one.quantity.kind == "amount"


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
_COMPILED = tuple((intent, expression(pattern, re.IGNORECASE)) for intent, pattern in _RULES)

_CONTRACTED = (
    (
        expression(r"\b(what|who|where|when|how|that|it|there|here)['\u2019]s\b", re.IGNORECASE),
        r"\1 is",
    ),
    (expression(r"\bi['\u2019]m\b", re.IGNORECASE), "I am"),
    (expression(r"\b(\w+)['\u2019]ve\b", re.IGNORECASE), r"\1 have"),
    (expression(r"\b(\w+)['\u2019]re\b", re.IGNORECASE), r"\1 are"),
    (expression(r"\b(\w+)['\u2019]ll\b", re.IGNORECASE), r"\1 will"),
    (expression(r"\b(\w+)['\u2019]d\b", re.IGNORECASE), r"\1 would"),
    (expression(r"\bcan['\u2019]t\b", re.IGNORECASE), "can not"),
    (expression(r"\bwon['\u2019]t\b", re.IGNORECASE), "will not"),
    (expression(r"\b(\w+)n['\u2019]t\b", re.IGNORECASE), r"\1 not"),
)

_COMPARES = expression(r"\b(?:between|compare)\s", re.IGNORECASE)
_WITH = expression(r"(?<!\s)\s++(?:and|with|to|versus|vs\.?)\s", re.IGNORECASE)
_VERSUS = expression(r"(?<!\s)\s++(?:versus|vs\.?)\s", re.IGNORECASE)


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


def subjects_of(text: str) -> tuple[str, ...]:
    """Return the two things to compare ("compare A with B", "A versus B"), or nothing."""
    opening = _COMPARES.search(text)
    tried = [(text[opening.end() :], _WITH)] if opening else []
    for said, joiner in [*tried, (text, _VERSUS)]:
        joined = joiner.search(said.lstrip())
        if joined is not None:
            parts = joined.string[: joined.start()], joined.string[joined.end() :]
            named = tuple(part.strip(" \n\t?.!") for part in parts)
            return named if all(named) else ()
    return ()

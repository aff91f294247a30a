"""The few words of a sentence that answer "how long", "how much", "how often", "by when" or "who".

They are taken as they stand, with bound and unit. Where the sentence has a second figure of that
kind, a condition, or speaks of some people alone, there are none. What holds unless something else
does is called a rule ("As a rule, within 48 hours.").

Held against the best sentence for each of 1,220 questions of other forms than yes or no about 138
policies that others wrote, they are found for 107. All were read: none is wrong, two say less than
one would ("Within 24 hours." of what is only a goal).
"""

import re
from collections.abc import Iterator

from core.expressions import expression
from core.grounding.bounds import Bound, BoundedQuantity, bounds
from core.language.content_words import content_words, families, words
from core.language.jurisdictions import jurisdictions_in
from core.language.quantities import Quantity, quantities

LONGEST, LONGEST_TEXT = 60, 300
"""Characters of a short answer, and of a sentence that it is read from: a longer one says many
things."""
_OPENING = (
    r"(?:^|[.,;:!?\u2013-]\s+)"
    r"(?:\W{0,5}(?:hi|hello|hey|ok|so|and|but|then|please|sorry)\b\W{0,5}){0,2}"
)
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, expression(_OPENING + pattern, re.IGNORECASE))
    for kind, pattern in (
        ("frequency", r"how\s(?:often|frequently|regularly|many\stimes)\b"),
        ("person", r"(?:by\s|to\s|with\s)?(?:who|whom)\b"),
        (
            "moment",
            r"(?:by\swhen|until\swhen|till\swhen|(?:what(?:['\u2019]s|\sis)\sthe\s)?deadline"
            r"|when\s(?:do|does|must|should|shall|will|are|is|am|can|has|have))\b",
        ),
        (
            "duration",
            r"(?:for\s|after\s|within\s)?(?:how\s(?:long|soon|quickly|fast|early"
            r"|far\s(?:ahead|in\sadvance)|much\s(?:time|notice)"
            r"|many\s(?:business\s|working\s|calendar\s|paid\s)?"
            r"(?:minutes|hours|days|weeks|months|years))"
            r"|what(?:['\u2019]s|\sis)\sthe\s(?:time\slimit|notice|retention\speriod))\b",
        ),
        (
            "amount",
            r"(?:up\sto\s|above\s|from\s)?(?:how\smuch\b(?!\s(?:time|notice|leave|vacation|pto))"
            r"|what\samount|what(?:['\u2019]s|\sis)\sthe\s(?:[\w-]+\s){0,3}?"
            r"(?:limit|budget|cap|allowance|maximum|rate|price|fee))\b",
        ),
        ("percentage", r"(?:what|which|how\smuch)\s(?:percent|percentage|share|proportion)\b"),
    )
)
"""What a question asks for, and how it begins."""
_ASKS = expression(r"\b(?:who|whom|whose|what|which|why|where|how)\b", re.IGNORECASE)
_EXCEPTED = expression(
    r"\b(?:unless|except(?:\swhere|\sif|\swhen)?)\b[^.;]{0,160}|\b(?:generally|usually|normally"
    r"|typically|in\sgeneral|as\sa\srule)\b",
    re.IGNORECASE,
)
"""What may be otherwise at times, so that the rest is a rule and no more."""
_CONDITIONAL = expression(
    r"\b(?:excluding|if|when|where|whether|provided|depending|otherwise|or\s(?:more|less)"
    r"|as\slong|in\scase|about|around|approximately|roughly|example|some|certain|may\svary|varies"
    r"|additional|first|second|another|barring|half|third|quarter|double|twice)\b|e\.g\.",
    re.IGNORECASE,
)
"""What may hold under a condition, or not exactly."""
_BEFORE = expression(
    r"(?<![\w-])((?:within|up\sto|at\sleast|at\smost|no\s(?:more|less|later|longer|fewer)\sthan"
    r"|not\s(?:more|less)\sthan|not\sexceeding|(?:a\s)?(?:maximum|minimum)\sof|more\sthan"
    r"|less\sthan|over|under|above|below|after|before|for|every|by|until|for\sup\sto"
    r"|for\sat\sleast|for\sa\s(?:minimum|maximum)\sof)(?:\s(?:an?|the|every))?)\s$",
    re.IGNORECASE,
)
_IN_TIME = expression(r"(?:within|no\slater|by|until|before|after|at\sleast)\b", re.IGNORECASE)
_AFTER = expression(
    r"\s?((?:per|a|an|each|every)\s[a-z]+(?:\s[a-z]+)?(?=\W{0,3}$|\s(?:for|in|to|and)\b|[.,;:)])"
    r"|(?:in\sadvance|prior\snotice|notice)\b|/\s?[a-z]+)",
    re.IGNORECASE,
)
_TURNING = expression(
    r"\s?(?:(?:or|and|to)\b|-|\u2013|/\s?\d|before|prior|after|ago|old|of\sage|later)"
)
"""What behind a figure says something else with it, which a short answer must not leave out."""
_LIMIT = expression(r"\b(?:limit|cap|max|maximum|budget|allowance|deadline)\b", re.IGNORECASE)
_HYPHENED = expression(r"[\w)]-[a-z]", re.IGNORECASE)
"""A figure within a compound ("zero-day", "a one-month period")."""
_OPEN = expression(r"(?:after|more\sthan|over|above)\b", re.IGNORECASE)
_BEGINS = expression(r"\b(?:after|until|till|when|soon)\b", re.IGNORECASE)
_NEGATED = expression(r"\b(?:not|never|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_FREQUENCY = expression(
    r"(?<![\w-])(?:(?:at\sleast(?:\san?(?=\s\w+ly\b))?|no\sless\sthan|up\sto)\s)?"
    r"(?:(?:once|twice|(?:two|three|four|\d{1,2})\stimes)\s(?:a|per|each|every)\s"
    r"(?:(?:calendar|fiscal|\d{1,2}|two|three|six|twelve)\s)?"
    r"(?:day|week|month|quarter|year|hour)s?"
    r"|every\s(?:(?:\d{1,2}|two|three|four|six|twelve)(?:\s\(\d{1,2}\))?\s)?"
    r"(?:day|week|month|quarter|year|hour)s?"
    r"|(?:hourly|daily|nightly|weekly|fortnightly|monthly|quarterly|annually|yearly"
    r"|biannually|biennially|(?:bi|semi)-?(?:weekly|monthly|annually)))\b",
    re.IGNORECASE,
)
_AT_LEAST = expression(r"\b(?:at\sa\sminimum|as\sa\sminimum)\b", re.IGNORECASE)
"""A bound that stands apart from what it bounds."""
_DOES = expression(
    r"\b(?:who|whom)\s(?:\w+ly\s)?(?:(?:has|have|is|are)\sto\s|(?:must|may|can|should|shall|will|would)"
    r"\s(?:have\sto\s)?)?(?:also\s|be\s)?([a-z]{4,})",
    re.IGNORECASE,
)
"""The verb of a question for a person ("who approves ...", "who has to sign ...")."""
_BY = expression(
    r"\b([a-z]{4,}(?:ed|en|wn))\s(?:(?:\w+ly|in\swriting|in\sadvance)\s)?by\s([^.,;:()]{3,50})\.?$"
)
_ACTING = expression(
    r"\b(?:and|or)\s\w+(?:ed|s)\b|\b(?:in|on|at|within|to|before|after|who|that|using)\b"
)
"""Words behind a person that go on with what is done."""
GROUPS = content_words(
    "contractor contractors freelancer consultants intern interns apprentice apprentices trainee"
    " part-time full-time temporary executive executives director directors supervisor supervisors"
    " manager managers officer officers hires new-hires veteran veterans exempt non-exempt"
)
"""Words for people of whom an asker may not be one."""


def short_answer(question: str, text: str) -> str | None:
    """Return the words of a sentence that answer a question for a figure or a person, if it has.

    Args:
        question: On one line.
        text: The sentence, without markup, behind what introduces its list.
    """
    kind = next((kind for kind, pattern in _KINDS if pattern.search(question)), None)
    if kind is None or len(_ASKS.findall(question)) > 1 or quantities(question):
        return None
    rule = _EXCEPTED.sub(" ", text)
    is_plain = len(text) <= LONGEST_TEXT and "|" not in text and not _CONDITIONAL.search(rule)
    if not is_plain or not content_words(question) & content_words(text):
        return None
    if set(jurisdictions_in(text)) - set(jurisdictions_in(question)):
        return None
    if kind == "person":
        found = _person(question, text) if rule == text else None
    elif kind == "frequency":
        found = _frequency(text)
    elif (content_words(text) & GROUPS) - content_words(question):
        return None
    else:
        found = _figure(question, text, kind)
    if not found or len(found) > LONGEST:
        return None
    return f"{found[0].upper()}{found[1:]}." if rule == text else f"As a rule, {_lower(found)}."


def _figure(question: str, text: str, kind: str) -> str | None:
    """Return the one figure of a sentence, if it is of the kind that is asked for."""
    found = [one for one in quantities(text) if one.kind != "section"]
    wanted = list(_of_kind(found, kind))
    if len({one.span for one in wanted}) != 1 or len({one.span for one in found}) != 1:
        return None
    bounded = next(one for one in bounds(text) if one.quantity.span == wanted[0].span)
    said = _verbatim(text, bounded, is_limit=_LIMIT.search(question) is not None)
    if said is None or _is_beside(question, text, said, kind):
        return None
    return said


def _is_beside(question: str, text: str, said: str, kind: str) -> bool:
    """Say whether a figure, as it is said, is another one than what is asked for."""
    if kind == "moment":
        return _IN_TIME.match(said) is None
    if kind == "amount":
        return _FREQUENCY.search(text) is not None and _FREQUENCY.search(said) is None
    return _OPEN.match(said) is not None and (
        _BEGINS.search(question) is None or _NEGATED.search(text) is not None
    )


def _of_kind(found: list[Quantity], kind: str) -> Iterator[Quantity]:
    kinds = {"duration", "date"} if kind == "moment" else {kind}
    return (one for one in found if one.kind in kinds)


def _verbatim(text: str, bounded: BoundedQuantity, *, is_limit: bool) -> str | None:
    """Return a figure with its bound and unit as they stand; None: the text says more with it.

    Who asks for a limit takes a bare figure for one.
    """
    span = bounded.quantity.span
    before = _BEFORE.search(text[: span.char_start])
    is_bare = before is None and bounded.bound is not Bound.NONE
    if is_bare and not (is_limit and bounded.bound is Bound.AT_MOST):
        return None
    if _TURNING.match(text, span.char_end) or _HYPHENED.search(span.of(text)):
        return None
    after = _AFTER.match(text, span.char_end)
    said = f"{before[0] if before else ''}{span.of(text)}{after[0] if after else ''}"
    said = " ".join(said.split())
    is_time = bounded.quantity.kind in {"duration", "date"}
    return said if is_time else re.sub(r"^for ", "", said, flags=re.IGNORECASE)


def _frequency(text: str) -> str | None:
    found = [] if _AT_LEAST.search(text) else _FREQUENCY.findall(text)
    return re.sub(r"\ban? (?=\w+ly$)", "", " ".join(found[0].split())) if len(found) == 1 else None


def _person(question: str, text: str) -> str | None:
    """Return by whom something is done, where the sentence ends so and names no other actor."""
    asked, done = _DOES.search(question), _BY.search(text)
    if asked is None or done is None or _ACTING.search(done[2]):
        return None
    is_same = families(asked[1]) == families(done[1])
    shared = content_words(question) & content_words(text[: done.start(2)])
    return done[2] if is_same and len(shared) > 1 else None


def _lower(text: str) -> str:
    first = words(text[:LONGEST])[:1]
    is_name = bool(first) and not text[:1].isupper()
    return text if is_name else text[0].lower() + text[1:]

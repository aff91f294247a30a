"""Deadlines: by when, after what time, for how long, how often.

A time is one only where the words around it say so: "12 weeks of leave", "a 40-hour week" and "in
your first month" set none. How often it errs is told in `docs/quality.md`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.expressions import expression
from core.language.modality import Modality, may_be_modal, modalities
from core.language.numerals import MONTH_NAME, PUNCTUATED, TIME_UNIT, YEAR_FIRST, signs_of
from core.language.quantities import Quantity, quantities
from core.language.text_cache import cached_by_text, word_pattern
from core.ontology.extract.comparisons import (
    ABOVE,
    AT_MOST,
    BELOW,
    NEAR,
    NEGATED_ABOVE,
    Measure,
    after,
    before,
    end_of_range,
    is_of_times,
    measure,
    measure_in_time,
    of_column,
)
from core.ontology.extract.not_binding import COMES, IN_EXAMPLE, LIKELY
from core.ontology.extract.statements import Statement

_TIMES = (TIME_UNIT, MONTH_NAME, YEAR_FIRST, PUNCTUATED)
"""What a text with a duration or a date has one of."""
_WITHIN = expression(
    r"(?:within|in|(?:no|not) (?:case |event )?(?:later|longer) than|at the latest|latest)"
    r"\W{0,9}(?:the |a |first |next |following ){0,4}$",
    re.IGNORECASE,
)
_FOLLOWS = expression(r"\W{0,3}(?:after|following|from)\b", re.IGNORECASE)
_ONCE_OVER = expression(r"\bafter\W{0,3}(?:about |approximately |the |a |an |every ){0,2}$")
_WAITS = expression(r"\bwait(?:s|ing)?\W{0,3}(?:for )?(?:at least |about )?$")
_UP_TO = expression(r"\b(?:up to|at most|no more than|not more than|maximum of)\W{0,3}$")
_HAVING = expression(r"\b(?:have|has|had|given|gets?|allowed|with)\W{0,3}(?:up to\W{0,3})?$")
"""Before the time that somebody has ("you have 30 days from the notice")."""
_ADVANCE = expression(r"\W{0,3}(?:in advance|before|prior to|ahead of|'? ?notice)", re.IGNORECASE)
_EVERY = expression(
    r"(?:(?<!for )every|each|per|once (?:a|every)|at intervals of)\W{0,9}$", re.IGNORECASE
)
_FOR = expression(
    r"\b(?:retain|retention|keep|kept|store|stored|preserve|archiv|maintain|hold|held|for|period"
    r" of|last)",
    re.IGNORECASE,
)
_LASTING = expression(
    r"\b(?:for|period of|lasts?|lasting|duration of)\W{0,3}(?:(?:an?|the|another|additional|further"
    r"|about|approximately|exactly|at least|up to|no less than|not less than|no more than|minimum"
    r"|maximum|total|period|of)\W{1,3}){0,6}$"
)
_KEPT = expression(
    r"\b(?:retain|retention|retained|kept|keep|stored?|preserved?|archived?|archiving|maintain"
    r"|maintained)\b"
)
_PERIOD_IS = expression(
    r"\b(?:period|term|duration|deadline|retention|timeouts?|time limit|interval)\b[^.;|]{0,24}?"
    r"(?:is|are|be|of|to|:)\W{1,3}(?:(?:an?|exactly|at least|up to|at most|set)\W{1,3}){0,2}$"
)
_SERVED = expression(
    r"\b(?:worked|employed|been|lived|served|service|experience|years?|has|have|had)\b[^,;|]{0,60}$"
)
"""Before how long somebody has done something, which is no time limit ("worked here for")."""
_BY_DATE = expression(
    r"(?:by|until|no later than|before|on or before|till)\W{0,9}(?:the )?$", re.IGNORECASE
)
_LONG_AGO = expression(
    r"\b(?:joined|hired|employed|started|began|born|created|signed|issued|opened|made|dated)\b"
    r"[^,;]{0,20}$"
)
"""Before a date that only says of whom or what ("staff who joined before May 2021")."""
_NO_LAST_DAY = expression(
    rf"{_LONG_AGO.pattern}|\b(?:to allow|in order to|so that|target)\b[^,;]{{0,48}}$"
)
"""Before a date that is none of a duty, or only what it is good for."""
_AT_ONCE = word_pattern(
    r"\b(?:immediately(?! (?:eligible|available|above|below|preceding|previous|prior)\b)"
    r"|without (?:undue )?delay|promptly(?! at \d)|forthwith|as soon as (?:possible|practicable)"
    r"|(?<!all )at once)\b",
    words="immediately delay promptly forthwith soon once",
)
_TELLS = expression(
    r"\b(?:report|notif|inform|tell|contact|call|escalat|disclos|submit)", re.IGNORECASE
)
_NEXT_TO = expression(r"\s(?:before|after|following|prior)\b", re.IGNORECASE)
"""After "immediately" where one time follows another ("leave immediately after the birth")."""
_WITH_LEEWAY = ("as soon as", "promptly", "without")
"""What is less strict than "immediately", and is kept as it is said."""
_OFTEN = word_pattern(
    r"\b(?P<rate>(?:semi-?)?annually|biennially|(?:yearly|quarterly|monthly|weekly"
    r"|daily)(?!/)(?<!/yearly)(?<!/annually)"
    r"|twice daily|(?:once|twice) (?:a|per|every) (?:year|quarter|month|week)"
    r"|(?:every|each) (?:year|quarter|month|week))\b",
    words="annually semiannually biennially yearly quarterly monthly weekly daily once twice every"
    " each",
)
_ENCOURAGES = expression(r"\bencourag(?:e|es|ed)\b[^.;]{0,60}$", re.IGNORECASE)
"""Before "immediately" where it is no duty."""
_AMOUNT_BEFORE = expression(
    r"(?:[$\u20ac\u00a3]|\b(?:EUR|USD|GBP|CHF))\s?\d[\d.,]*\s?(?:k|EUR|USD|GBP|CHF)?\s$"
    r"|\d\s?(?:EUR|USD|GBP|CHF|euros?|dollars?)\s$",
    re.IGNORECASE,
)
"""An amount right before how often: the period of the amount ("$1,500 quarterly"), no deadline."""
_PERIOD_OF = expression(r"\bperiod of\W{0,3}$")
_FIRST = expression(
    r"(?<!within )(?<!within the )\b(?:first|last|initial|final|remaining"
    r"|(?:sooner|earlier) than)\W{0,3}$"
)
"""Before a part of a time, or its earliest end ("the first 2 weeks", "no sooner than 9 days")."""
_AFTER_THE = expression(r"\bafter (?:the|these|those|that|this|your|their)\W{0,3}$")  # spoken of
_BENEFIT = expression(
    r"\b(?:pays?|paid|pay|salary|leave|entitled|entitlement|receives?|eligible|benefits?|allowance"
    r"|stipend|coverage|sabbatical|vacation|absence|time off)\b",
    re.IGNORECASE,
)
"""What somebody gets for a time, which is no duty ("full pay for 5 weeks")."""
_WORKED = expression(r"\b(?:worked|employed|been|lived|served|service|experience)\b[^,;|]{0,40}$")
"""Before how long somebody has done something when a thing is due ("worked 12 months prior to")."""
_TAKES = expression(r"\btakes?\W{0,3}(?:about |around |up to |between |at least ){0,2}$")
_TO_BE_DONE = expression(r"\W{0,3}(?:for \w+ )?to (?!\d)\w+", re.IGNORECASE)
"""After how long something takes to happen, which limits nobody ("can take up to 3 weeks to")."""
_DURING = expression(r"\bover (?:the|an?)\W{0,3}$")
"""Before a time in which something goes on ("over the six-month review period")."""
_EITHER_WAY = expression(
    r"\b(?:shorter|less|fewer|lower|longer|more|higher)(?: or |/)(?:longer|more|higher|greater"
    r"|shorter"
    r"|less|fewer|lower) than\W{0,3}$"
)
_LIMITS = expression(
    r"\b(?:must|shall|should|may|can|cannot|will|need(?:s|ed)?|requir\w+|limit\w*|allow\w*"
    r"|permit\w*|if"
    r"|when|where|unless|only|minimum|maximum|up to|eligib\w+|entitled|appl(?:y|ies)|please"
    r"|considered"
    r"|counts?|leaves?|not|no)\b",
    re.IGNORECASE,
)
"""What says that a time decides something ("leave of more than 12 weeks is not eligible")."""
_LOOKING_BACK = expression(r"\b(?:last|past|previous|preceding|prior)\W{0,3}$")
"""Before a time that is only looked back on ("the last two weeks of a quarter")."""
_IN_A_CASE = expression(r"\b(?:if|when|whenever|where|unless)\b[^,;]{0,200}\Z", re.IGNORECASE)
"""Before a time within the case that a rule is for ("if you leave within 60 days, you must")."""
_EXAMPLE = expression(r"\W*(?:for )?(?:example|instance)\b", re.IGNORECASE)
_ORDINAL = expression(r"(?:first|second|third|last|next)\b", re.IGNORECASE)
_ATTRIBUTE = expression(
    r"(?:[\w.]+-|(?!(?:1|one|an?)\b)[\w.]+ )(?:business )?(?:minute|hour|day|week|month|year)\b",
    re.IGNORECASE,
)
"""What kind of thing is spoken of ("a 40-hour week")."""
_RATED = expression(r"(?:yearly|quarterly|monthly|weekly|daily)\Z", re.IGNORECASE)
_OF_A_NOUN = expression(
    r"\s(?!(?:and|or|by|to|in|on|at|as|for|from|with|within|of|if|when|where|while|whenever|unless"
    r"|until|via|using|through|throughout|during|after|before|per|so|that|which|but|the|an?|all"
    r"|any|each|every|basis|reviews?|audits?|scans?|scanning|backups?|checks?|tests?|testing"
    r"|assessments?|inspections?|updates?|training|reconciliations?|monitoring)\b)[a-zA-Z]"
)
"""After "daily" where it says of which kind a thing is ("the daily operations")."""
_TWICE = expression(r"\bbi[\s-]?$", re.IGNORECASE)
"""Before "weekly" or "monthly": every two, or twice in one."""
_DONE = expression(
    r"\bwill\b|\b(?:is|are|be|gets?)\s(?:\w+ly\s)?(?:\w+(?:ed|en|wn|pt|ld)|run|done|made|sent|paid"
    r"|set|read)\b",
    re.IGNORECASE,
)
"""What says, without a modal verb, that something is done as a rule."""
_OF_A_TOOL = expression(
    r"\W*(?:this|it)\s(?:also\s|then\s)?\w+s\b(?<!\bis)(?<!\bwas)", re.IGNORECASE
)
"""How a sentence begins that says what a program does ("this locks the screen")."""
_ORDERED = expression(
    r"\b(?:please|reports?|notif(?:y|ies)|informs?|contacts?|calls?|tells?|alerts?|emails?|sends?"
    r"|submits?|returns?|disconnects?|stops?|escalates?|lets?|registers?|records?|files?|asks?"
    r"|seeks?"
    r"|investigates?|facilitates?|takes?|revokes?|disables?|changes?|updates?|leaves?|hands?)\b",
    re.IGNORECASE,
)
"""What is done at once without a modal verb ("report a loss immediately")."""
_GRANTS = frozenset({Modality.MAY, Modality.NEED_NOT})
_ORDERS = expression(
    r"\W*(?:please\s)?(?:delete|destroy|remove|erase|lock|close|review|renew|rotate|change"
    r"|archive|purge"
    r"|repeat|disable|revoke)s?\b",
    re.IGNORECASE,
)
"""How an order begins that says what is done after a time."""


def stated_deadlines(statement: Statement) -> Iterator[Measure]:
    """Yield the deadlines of a statement, and times that are limits, each where words say so."""
    text = statement.words
    read = quantities(text) if signs_of(text).have_one(_TIMES) else ()
    at_once = unnumbered_deadline(text)
    is_rate = _OFTEN.search(text) is not None
    if not (read or at_once or is_rate) or _EXAMPLE.match(text) or LIKELY.search(text):
        return
    if COMES.search(text) and not _modalities(COMES.sub(" ", statement.sentence)) - _GRANTS:
        return
    for place, quantity in enumerate(read):
        found = None
        if quantity.kind == "date" and not _NO_LAST_DAY.search(before(text, quantity)):
            found = last_day(quantity, text)
        elif quantity.kind == "duration" and _is_the_end(read, place, text):
            found = _stated(quantity, statement)
            if found and found.comparison != "before" and end_of_range(read, place, text) == "low":
                found = None
        if found is not None:
            yield found.standing_at(quantity.span.char_start)
    if at_once is None and not is_rate:
        return
    force = _force(statement.sentence)
    if at_once is not None and (
        force == "duty" or (not force and _ORDERED.search(statement.sentence))
    ):
        yield at_once
    yield from _rates(statement, is_duty=force == "duty")


def _is_the_end(read: tuple[Quantity, ...], place: int, text: str) -> bool:
    """Return whether a time is the end of a range that counts: of "5-6 days before" the first."""
    end = end_of_range(read, place, text)
    last = read[place + 1] if end == "low" and place + 1 < len(read) else read[place]
    is_ahead = _ADVANCE.match(after(text, last)) is not None
    return not end or (end == "low") is is_ahead


def _stated(quantity: Quantity, statement: Statement) -> Measure | None:
    """Return a time as the deadline or the limit that the words around it make it."""
    text = statement.words
    ahead, behind = before(text, quantity), after(text, quantity)
    limit = limit_of_time(quantity, text)
    if (
        limit is not None
        or _LOOKING_BACK.search(ahead)
        or _ORDINAL.match(quantity.raw)
        or _FIRST.search(ahead)
        or _AFTER_THE.search(ahead)
        or (_TAKES.search(ahead) and _TO_BE_DONE.match(behind))
        or (_ATTRIBUTE.match(quantity.raw) and not _is_kept(ahead))
        or _IN_A_CASE.search(text[: quantity.span.char_start])
        or IN_EXAMPLE.search(text[: quantity.span.char_start])
    ):
        return limit
    force = _force(statement.sentence)
    if not force and _ORDERS.match(text):
        force = "duty"
    compared = _compared(ahead, behind, force=force)
    is_order = statement.kind != "sentence" or _ORDERED.search(text) is not None
    if compared == "after" and AT_MOST.search(ahead):
        compared = ""  # "for a time not exceeding a year from the vote"
    if compared == "before" and not (force or is_order):
        return None
    if compared == "for" and not _is_kept(ahead) and _BENEFIT.search(text):
        return None
    if compared:
        return measure_in_time(quantity, compared) if compared != "none" else None
    above = ABOVE.search(ahead)
    if AT_MOST.search(ahead) or (above and NEGATED_ABOVE.search(ahead[: above.start()])):
        value, _, unit = quantity.canonical.partition(" ")
        return measure(value, unit.replace("_", " "), "at_most", quantity.raw, kind="count")
    return of_column(quantity, statement)


def _is_kept(ahead: str) -> bool:
    """Say whether the clause right before a time is about keeping something."""
    return _KEPT.search(ahead, max(map(ahead.rfind, ".;|")) + 1) is not None


def _compared(ahead: str, behind: str, *, force: str) -> str:
    """Return what the words around a time make of it, "none" if it binds nobody, "" if nothing."""
    return next((name for name, is_so in _readings(ahead, behind, force=force) if is_so), "")


def _readings(ahead: str, behind: str, *, force: str) -> Iterator[tuple[str, object]]:
    """Yield each thing that the words around a time may make of it, and what is true if they do."""
    yield "after", _WAITS.search(ahead)
    yield "none", _WORKED.search(ahead) or _PERIOD_OF.search(ahead)
    is_ahead = _ADVANCE.match(behind)
    yield "none", is_ahead and (ABOVE.search(ahead) or AT_MOST.search(ahead))
    yield "before", is_ahead
    follows = _FOLLOWS.match(behind)
    yield (
        "within",
        _WITHIN.search(ahead) or (follows and (_UP_TO.search(ahead) or _HAVING.search(ahead))),
    )
    yield "every" if force == "duty" else "none", _EVERY.search(ahead)
    lasting = _LASTING.search(ahead)
    lasts = lasting and force == "duty" and not _SERVED.search(ahead[: lasting.start()])
    yield (
        "for",
        _PERIOD_IS.search(ahead) or _is_kept(ahead) or (lasts and not _UP_TO.search(ahead)),
    )
    yield "none", lasting and not _UP_TO.search(ahead)
    yield "after" if force == "duty" else "none", follows or _ONCE_OVER.search(ahead)


def _modalities(sentence: str) -> set[Modality]:
    clauses = modalities(sentence) if may_be_modal(sentence) else ()
    return {clause.modality for clause in clauses} - {Modality.NONE}


@cached_by_text()
def _force(sentence: str) -> str:
    """Return whether a sentence makes a "duty", only "granted" something, or neither ("")."""
    said = _modalities(sentence)
    if said - _GRANTS:
        return "duty"
    if said:
        return "granted"
    return "duty" if _DONE.search(sentence) and not _OF_A_TOOL.match(sentence) else ""


def _rates(statement: Statement, *, is_duty: bool) -> Iterator[Measure]:
    """Yield how often something is to be done."""
    text = statement.words
    for match in _OFTEN.finditer(text):
        ahead = text[max(0, match.start() - NEAR) : match.start()]
        if _AMOUNT_BEFORE.search(ahead) or _TWICE.search(ahead):
            continue
        if _RATED.search(match["rate"]) and _OF_A_NOUN.match(text, match.end()):
            continue
        in_column = is_of_times(statement, match.start())
        if not (in_column if statement.kind == "row" else is_duty):
            continue
        rate = match["rate"].casefold()
        often = "0.5" if rate.startswith(("semi", "twice")) else "1"
        value = "2" if rate.startswith("bienn") else often
        unit = next(
            (name for name in ("quarter", "month", "week") if name in rate),
            "day" if rate.endswith("daily") else "year",
        )
        found = measure(value, unit, "every", match[0])
        yield replace(found, words=match[0], at=match.start())


def unnumbered_deadline(text: str) -> Measure | None:
    """Return the first deadline of `text` that has no number ("immediately"), if any."""
    at_once = _AT_ONCE.search(text)
    if at_once is None or _ENCOURAGES.search(text[: at_once.start()]):
        return None
    if _NEXT_TO.match(text, at_once.end()) and not _TELLS.search(text):
        return None
    said = " ".join(at_once[0].casefold().split())
    value = said if said.startswith(_WITH_LEEWAY) else "immediately"
    return measure(value, "", "within", at_once[0]).standing_at(at_once.start())


def last_day(quantity: Quantity, text: str) -> Measure | None:
    """Return a date as the last day of something, None if it is not one."""
    if not _BY_DATE.search(before(text, quantity)):
        return None
    return measure(quantity.canonical, "date", "before", quantity.raw)


def limit_of_time(quantity: Quantity, text: str) -> Measure | None:
    """Return a duration used as a threshold ("more than 8 hours"), not as a deadline."""
    ahead = before(text, quantity)
    for pattern, comparison in ((ABOVE, "above"), (BELOW, "below")):
        match = pattern.search(ahead)
        if match and not NEGATED_ABOVE.search(ahead[: match.start()]):
            if _DURING.search(ahead) or _EITHER_WAY.search(ahead) or not _LIMITS.search(text):
                return None
            value, _, unit = quantity.canonical.partition(" ")
            return measure(value, unit.replace("_", " "), comparison, quantity.raw, kind="count")
    return None


def deadline_of(quantity: Quantity, text: str) -> Measure:
    """Return a duration that is known to be a deadline, with the nearest comparison."""
    ahead, behind = before(text, quantity), after(text, quantity)
    if _ADVANCE.match(behind):
        return measure_in_time(quantity, "before")
    if _WITHIN.search(ahead):
        return measure_in_time(quantity, "within")
    if _EVERY.search(ahead):
        return measure_in_time(quantity, "every")
    if _FOR.search(ahead) or not (_ONCE_OVER.search(ahead) or _FOLLOWS.match(behind)):
        return measure_in_time(quantity, "for")
    return measure_in_time(quantity, "after")

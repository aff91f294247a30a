"""What a document states about itself: header table, "Label: value" lines, front matter.

Values are copied; dates and countries are brought into ISO form. What is ambiguous or impossible is
left out, with a note: a guessed effective date would decide which rule was in force.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from core.domain.policy import UnusedStatement, first_day_without
from core.expressions import expression
from core.ingest.stated.dates import day_problem, parse_period
from core.ingest.stated.labels import (
    ISSUED,
    LAST_DAY,
    REVIEW,
    LabelledValue,
    field_of,
    kind_of,
    plain_label,
)
from core.ingest.stated.places import country_code, holds_everywhere
from core.ingest.stated.statements import (
    is_rule,
    is_sentence,
    of_policy,
    statements,
    table_statements,
)
from core.language.spans import TextSpan

NOTHING: Final = ""
"""What a caller says of a field to take its value away, whatever the document or an earlier version
says: of owner, address, class, next review and verifier."""
LONGEST_CLASS = 60
"""Characters of a class of sensitivity; what is longer is a sentence about one."""
LONGEST_LINK = 1500
"""Characters of an address; chat platforms take no longer links."""
LONGEST_VALUE = 200
"""Characters of an owner, a title and any other value."""
_LINK = expression(r"https://[A-Za-z0-9.-]{1,253}(?:[/?#][!-~]*+)?")
A_LINK = "an address like https://policies.example.com/gifts, without a port, spaces or accents"
"""What `is_link` expects, for a refusal."""
_PLACEHOLDER = expression(
    r"[\[<{].*[\]>}]|[\W_]*|x{2,}|(?:tb[acd]|n/?a|none|unknown|offen)\.?", re.IGNORECASE
)
_DAYS = frozenset({"effective_from", LAST_DAY, "review_by"})
_WITHIN = expression(r"\b(?:end|late|mid|middle|ende|mitte)\b", re.IGNORECASE)
"""Before a month in which something begins: not on its first day."""

_FIRST_PAGE_CHARACTERS = 6000
_FIRST_LINES = 60
_SHOWN = 60
"""Characters of a value that a message repeats."""
_VERSION = expression(r"(?:version|ver\.?|rev(?:ision)?\.?|v)?\s*(\d[\w.-]{0,20})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfDescription:
    """What a document states about itself in one place."""

    values: Mapping[str, str]
    """See `LoadedDocument.metadata`."""
    unused: tuple[UnusedStatement, ...] = ()
    """What it states of other fields and can't be used."""


def describe(text: str, tables: Sequence[TextSpan], asides: Sequence[str] = ()) -> SelfDescription:
    """Read control tables, labelled lines above the first rule, and what stands beside the text.

    Args:
        text: the whole text. Behind its first rule, or its first page's worth, a line counts if its
            label speaks of the document ("Policy owner").
        tables: spans of its tables.
        asides: see `LoadedDocument.asides`.
    """
    early = [table for table in tables if table.char_start < _FIRST_PAGE_CHARACTERS]
    found: list[LabelledValue] = []
    for table in early:
        found += table_statements(table.of(text).split("\n"))
    found += _in_lines(text, tables)
    for table in tables[len(early) :]:
        found += table_statements(table.of(text).split("\n"), is_late=True)
    found += table_statements(asides)
    found += [stated for line in asides for stated in statements(line).values()]
    return read_labels(found)


def _in_lines(text: str, tables: Sequence[TextSpan]) -> Iterator[LabelledValue]:
    starts = [table.char_start for table in tables]
    offset, is_above_rules = 0, True
    for place, line in enumerate(text.split("\n")):
        table = bisect_right(starts, offset) - 1
        is_row = table >= 0 and offset < tables[table].char_end
        offset += len(line) + 1
        is_above_rules &= place < _FIRST_LINES and offset <= _FIRST_PAGE_CHARACTERS
        if is_above_rules and not is_row:
            found = statements(line)
            is_above_rules = not is_rule(line, found)
            yield from (found.values() if is_above_rules else of_policy(line))
        elif not is_row:
            yield from of_policy(line)


def read_labels(found: Iterable[LabelledValue]) -> SelfDescription:
    """Return what labels and values state; of each field the first usable value counts.

    Of a field without one, the first value that can't be used is named.
    """
    known = [stated for stated in found if kind_of(stated.label)]
    values: dict[str, str] = {}
    unused: dict[str, UnusedStatement] = {}
    for stated in known:
        kind, value = kind_of(stated.label) or "", _plain_value(stated.value)
        field = field_of(stated.label) or ""
        if kind in {ISSUED, REVIEW} or not (value or stated.problem):
            continue
        problem = stated.problem or value_problem(kind, value)
        if problem is None:
            values.setdefault(field, _canonical_value(kind, value))
        else:
            note = f"{plain_label(stated.label)} {shown(value)} is not used: {problem}"
            unused.setdefault(field, UnusedStatement(field=field, note=note))
    if "review_by" not in values and (review := _bare_review(known)):
        if isinstance(review, date):
            values["review_by"] = review.isoformat()
        else:
            unused.setdefault("review_by", review)
    return SelfDescription(
        values=values, unused=tuple(one for one in unused.values() if one.field not in values)
    )


def _bare_review(known: Iterable[LabelledValue]) -> date | UnusedStatement | None:
    """Return the day of the first "Review date": of the next review, so that it is known.

    One that is no later than a day on which the document was there is that of the last review.
    """
    days = [(kind_of(stated.label), stated, parse_period(stated.value)) for stated in known]
    there = [day.first for kind, _, day in days if day and kind in {ISSUED, "effective_from"}]
    reviews = ((stated, day) for kind, stated, day in days if day and kind == REVIEW)
    for stated, day in reviews:
        if day.last > max(there, default=date.min):
            return day.last
        note = (
            f"{plain_label(stated.label)} {shown(stated.value)} is not used: it is no later than"
            f" {max(there)}, and so that of the last review; say when the next one is due:"
            " --review-by DATE, or review_by in citebound.toml"
        )
        return UnusedStatement(field="review_by", note=note, is_vague=True)
    return None


def canonical_keys(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return labels and values as in `LoadedDocument.metadata`; what can't be used is left out."""
    return read_labels(LabelledValue(label=label, value=value) for label, value in pairs).values


def is_of_policy(line: str) -> bool:
    """Return whether a line begins with something that it says of the policy."""
    return 0 in (found := statements(line)) and field_of(found[0].label) is not None


def is_link(text: str) -> bool:
    """Say whether a text is an address that a reply could lead to."""
    return len(text) <= LONGEST_LINK and _LINK.fullmatch(text) is not None


def value_problem(field: str, value: str) -> str | None:
    """Return why a value can't be that of a field, and what to say instead; None: it can be.

    Args:
        field: a key of `LoadedDocument.metadata`, or `LAST_DAY`.
        value: what is said, in one line, not empty.
    """
    if problem := length_problem(field, value):
        return problem
    if field in _DAYS:
        return None if _day(field, value) else day_problem(value)
    is_met, expected = _EXPECTED.get(field, (bool, ""))
    return None if is_met(value) else f"expected {expected}"


def _is_written(value: str) -> bool:
    return not _PLACEHOLDER.fullmatch(value)


def _is_name(value: str) -> bool:
    return _is_written(value) and not is_sentence(value)


def _is_scope(value: str) -> bool:
    return country_code(value) is not None or holds_everywhere(value)


_EXPECTED: Mapping[str, tuple[Callable[[str], object], str]] = {
    "owner": (_is_name, "the name of a person, a role or a team"),
    "verified_by": (_is_name, "the name of a person, a role or a team"),
    "sensitivity": (_is_written, "a class, like Internal"),
    "jurisdiction": (
        _is_scope,
        "one country, like Germany or DE, or all countries; without one a policy holds everywhere:"
        " give it with --jurisdiction, or jurisdiction in citebound.toml",
    ),
    "url": (is_link, A_LINK),
    "version": (_VERSION.match, "a number, like 2.0"),
}
"""What a value must be, and how a message says so."""


def length_problem(field: str, value: str) -> str | None:
    """Return that a value is too long for a field, wherever it is said; None if it is not."""
    longest = {"sensitivity": LONGEST_CLASS, "url": LONGEST_LINK}.get(field, LONGEST_VALUE)
    return f"expected at most {longest:,} characters" if len(value) > longest else None


def shown(value: object) -> str:
    """Return a value as a message repeats it: in quotes, and shortened if it is long."""
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[: _SHOWN // 2]!r}... ({len(value):,} characters)"
    text = repr(value)
    return text if len(text) <= 2 * _SHOWN else f"{text[:_SHOWN]}..."


def _plain_value(value: str) -> str:
    """Return a value in one line, without characters that can be neither stored nor shown."""
    words = " ".join(value.split())
    return "".join(each for each in words if unicodedata.category(each) not in {"Cc", "Cs"})


def _canonical_value(kind: str, value: str) -> str:
    """Return a value that `value_problem` accepts in the form in which it is kept."""
    if kind in _DAYS:
        return str(_day(kind, value))
    if kind == "jurisdiction":
        return country_code(value) or NOTHING
    if kind == "version" and (match := _VERSION.match(value)):
        return match.group(1).rstrip(".-")
    return value


def _day(kind: str, value: str) -> date | None:
    """Return the day that a date means: of a month its first where something begins, else its last.

    What ends is not in force any more on the day after.
    """
    found = parse_period(value)
    if found is None:
        return None
    is_month = found.first < found.last
    if kind == "effective_from":
        return None if is_month and _WITHIN.search(value) else found.first
    return first_day_without(found.last) if kind == LAST_DAY else found.last

"""What a document states about itself: header table, "Label: value" lines, front matter.

Values are copied; dates and countries are brought into ISO form. What is ambiguous or impossible is
left out, with a note: a guessed effective date would decide which rule was in force.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from core.domain.policy import UnusedStatement
from core.language.jurisdictions import NAMES, WRITTEN
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
_LINK = re.compile(r"https://[A-Za-z0-9.-]{1,253}(?:[/?#][!-~]*+)?")
A_LINK = "an address like https://policies.example.com/gifts, without a port, spaces or accents"
"""What `is_link` expects, for a refusal."""
_LABELS: Mapping[str, str] = {
    label: key
    for key, labels in {
        "title": "title|policy title|document title|policy name|name of policy|titel",
        "policy_id": "policy id|document id|policy no|policy number|document number|document no"
        "|reference|policy reference|identifier|policy code|dokumentnummer|dokumenten id"
        "|richtliniennummer",
        "version": "version|revision|version no|version number|policy version|fassung",
        "owner": "owner|policy owner|document owner|responsible|responsible role|process owner"
        "|verantwortlich|verantwortliche stelle|verantwortliche person|verantwortlicher"
        "|verantwortlicher bereich|dokumentenverantwortlich|eigentümer|eigner",
        "effective_from": "effective date|effective from|effective|valid from|in force from"
        "|date effective|in force since|start date|effective as of|gültig ab|gültig seit"
        "|in kraft seit|in kraft ab|inkrafttreten|tritt in kraft am|gilt ab|gilt seit",
        "effective_until": "effective until",
        "last_day": "expiry date|expires|expires on|valid until|valid to|effective to"
        "|effective through|end date|expiration date|in force until|gültig bis|gilt bis"
        "|in kraft bis",
        "jurisdiction": "jurisdiction|country|applies in|geographic scope|territory|land|gilt in"
        "|räumlicher geltungsbereich|rechtsordnung",
        "url": "url|policy url|canonical url|permalink|published at",
        "sensitivity": "sensitivity|sensitivity label|classification|information classification"
        "|data classification|security classification|document classification|confidentiality"
        "|klassifizierung|klassifikation|einstufung|vertraulichkeit|vertraulichkeitsstufe"
        "|schutzklasse",
        "review_by": "review by|next review|next review date|next review due|review due"
        "|review due date|due for review|date of next review|to be reviewed by"
        "|nächste überprüfung|nächste prüfung|überprüfung fällig|zu überprüfen bis"
        "|überprüfung bis",
        "verified_by": "verified by|verifier|geprüft von|geprüft durch",
    }.items()
    for label in labels.split("|")
}
"""In English and German. `effective_until` is exclusive, as everywhere here; an expiry date in
prose is the last day in force."""
_VAGUE_REVIEWS = frozenset(
    {
        *("review date", "date of review", "policy review date"),
        *("überprüfungsdatum", "datum der überprüfung", "prüfdatum"),
    }
)
"""Labels of a review that may be the last or the next one."""

_COUNTRIES: Mapping[str, str] = {
    **{name.lower(): code for code, name in NAMES.items()},
    **{written.lower(): code for code, names in WRITTEN.items() for written in names},
    "adgm": "AE",
    "dubai": "AE",
    "us": "US",
    "deutschland": "DE",
    "españa": "ES",
    "italia": "IT",
    "österreich": "AT",
    "schweiz": "CH",
}
"""Names of one country, as the control table of a document may give it."""
_COUNTRY_CODES = frozenset(_COUNTRIES.values())

_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan januar jänner",
            "february feb februar feber",
            "march mar märz mrz",
            "april apr",
            "may mai",
            "june jun juni",
            "july jul juli",
            "august aug",
            "september sep sept",
            "october oct oktober okt",
            "november nov",
            "december dec dezember dez",
        ],
        start=1,
    )
    for name in names.split()
}
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?([^\W\d_]{3,9})\.?,?\s+(\d{4})\b"
)
_MONTH_FIRST = re.compile(r"([^\W\d_]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b")
_MONTHS_IN_YEAR = 12
_DAYS = frozenset({"effective_from", "effective_until", "last_day", "review_by"})

_LINE = re.compile(r"\**+([^\W\d_][\w /()-]{1,40}?)\**+\s*+:\**+\s++(\S.*)")
_LONGEST_LABEL = 60
"""Characters by which a label has its colon."""
_FIRST_PAGE_CHARACTERS = 6000
_FIRST_LINES = 60
_SEPARATOR = " | "
_SHOWN = 60
"""Characters of a value that a message repeats."""
_VERSION = re.compile(r"(?:version|ver\.?|rev(?:ision)?\.?|v)?\s*(\d[\w.-]{0,20})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledValue:
    """A label of a document and what stands by it."""

    label: str
    """As written."""
    value: str
    """As written, without quotes and comments; empty: nothing."""
    problem: str | None = None
    """Why it can't be read, and what to write instead; None: it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfDescription:
    """What a document states about itself in one place."""

    values: Mapping[str, str]
    """See `LoadedDocument.metadata`."""
    unused: tuple[UnusedStatement, ...] = ()
    """What it states of other fields and can't be used."""


def describe(text: str, tables: Iterable[TextSpan]) -> SelfDescription:
    """Read header tables and labelled lines at the beginning of a text.

    Args:
        text: the whole text; only its first page's worth is read.
        tables: spans of its tables; those that begin on the first page are read by rows.
    """
    pairs: list[tuple[str, str]] = []
    for table in tables:
        if table.char_start >= _FIRST_PAGE_CHARACTERS:
            break
        pairs += _pairs_of_table(table.of(text))
    for line in text[:_FIRST_PAGE_CHARACTERS].splitlines()[:_FIRST_LINES]:
        match = _LINE.fullmatch(line)
        if match and _SEPARATOR not in line and not _is_scope(match):
            pairs.append((match.group(1), match.group(2)))
    return read_labels(LabelledValue(label=label, value=value) for label, value in pairs)


def _is_scope(line: re.Match[str]) -> bool:
    """Return whether a line is a sentence on where a policy holds, and not meant as a field."""
    return field_of(line.group(1)) == "jurisdiction" and len(line.group(2)) > _SHOWN


def read_labels(found: Iterable[LabelledValue]) -> SelfDescription:
    """Return what labels and values state; of each field the first usable value counts.

    Of a field without one, the first value that can't be used is named.
    """
    values: dict[str, str] = {}
    unused: dict[str, UnusedStatement] = {}
    for one in found:
        label, value = plain_label(one.label), _plain_value(one.value)
        key = _LABELS.get(label)
        if label in _VAGUE_REVIEWS and one.problem is None and parse_date(value[:LONGEST_VALUE]):
            unused.setdefault(label, _vague_review(label, value))
        if key is None or not (value or one.problem):
            continue
        problem = one.problem or value_problem(key, value)
        field = "effective_until" if key == "last_day" else key
        if problem is None:
            values.setdefault(field, _canonical_value(key, value))
        else:
            note = f"{label} {shown(value)} is not used: {problem}"
            unused.setdefault(field, UnusedStatement(field=field, note=note))
    return SelfDescription(
        values=values, unused=tuple(one for one in unused.values() if one.field not in values)
    )


def canonical_keys(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return labels and values as in `LoadedDocument.metadata`; what can't be used is left out."""
    return read_labels(LabelledValue(label=label, value=value) for label, value in pairs).values


def field_of(label: str) -> str | None:
    """Return the key of `LoadedDocument.metadata` that a label gives; None: of none."""
    key = _LABELS.get(plain_label(label))
    return "effective_until" if key == "last_day" else key


def is_labelled(line: str) -> bool:
    """Return whether a line is a "Label: value"."""
    return _LINE.fullmatch(line) is not None


def is_of_policy(line: str) -> bool:
    """Return whether a line says something of the policy, under one of the labels known here."""
    match = _LINE.fullmatch(line) if ":" in line[:_LONGEST_LABEL] else None
    return match is not None and plain_label(match.group(1)) in _LABELS


def is_link(text: str) -> bool:
    """Say whether a text is an address that a reply could lead to."""
    return len(text) <= LONGEST_LINK and _LINK.fullmatch(text) is not None


def value_problem(field: str, value: str) -> str | None:
    """Return why a value can't be that of a field, and what to say instead; None: it can be.

    Args:
        field: a key of `LoadedDocument.metadata`, or `last_day`.
        value: what is said, in one line, not empty.
    """
    if problem := length_problem(field, value):
        return problem
    if field in _DAYS:
        return None if parse_date(value) else day_problem(value)
    if field == "jurisdiction" and country_code(value) is None:
        return "expected one country, like Germany or DE; without one a policy holds everywhere"
    if field == "url" and not is_link(value):
        return f"expected {A_LINK}"
    if field == "version" and not _VERSION.match(value):
        return "expected a number, like 2.0"
    return None


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


def parse_date(text: str) -> date | None:
    """Read the first date of `text`; None if impossible or ambiguous ("01/02/2024")."""
    iso = _ISO.search(text)
    if iso:
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    for match in _DAY_FIRST.finditer(text):
        if match[2].lower() in _MONTHS:
            return _date(int(match[3]), _MONTHS[match[2].lower()], int(match[1]))
    for match in _MONTH_FIRST.finditer(text):
        if match[1].lower() in _MONTHS:
            return _date(int(match[3]), _MONTHS[match[1].lower()], int(match[2]))
    numeric = _NUMERIC.search(text)
    return _numeric_date(numeric) if numeric else None


def exact_date(text: str) -> date | None:
    """Read a text that is a date and nothing else; None if it is none, impossible or ambiguous."""
    forms = (_ISO, _DAY_FIRST, _MONTH_FIRST, _NUMERIC)
    is_date = len(text) <= _SHOWN and any(form.fullmatch(text) for form in forms)
    return parse_date(text) if is_date else None


def day_problem(text: str) -> str:
    """Return why a text in which `parse_date` finds no date is none, and what to write instead."""
    numeric = _NUMERIC.search(text[:LONGEST_VALUE])
    if numeric and max(int(numeric[1]), int(numeric[3])) <= _MONTHS_IN_YEAR and numeric[2] != ".":
        return "day and month can't be told apart; expected a date like 2026-01-31"
    forms = (_ISO, _DAY_FIRST, _MONTH_FIRST, _NUMERIC)
    if any(form.search(text[:LONGEST_VALUE]) for form in forms):
        return "there is no such day; expected a date like 2026-01-31"
    return "expected a date like 2026-01-31"


def _numeric_date(match: re.Match[str]) -> date | None:
    """Tell day from month: dots mean day first; otherwise one of them must exceed 12."""
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if match[2] == "." or first > _MONTHS_IN_YEAR or first == second:
        return _date(year, second, first)
    if second > _MONTHS_IN_YEAR:
        return _date(year, first, second)
    return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def country_code(text: str) -> str | None:
    """Return the ISO 3166 code of the one country that `text` names; None for several or none."""
    plain = text.strip().strip(".").lower()
    if text.strip() in _COUNTRY_CODES:
        return text.strip()
    return _COUNTRIES.get(plain) or _COUNTRIES.get(f"{plain}.")


def _pairs_of_table(table: str) -> list[tuple[str, str]]:
    rows = [row.split(_SEPARATOR) for row in table.split("\n")]
    pairs = [(row[0], row[1]) for row in rows if len(row) == 2]  # noqa: PLR2004 - label and value
    is_control_table = sum(1 for label, _ in pairs if plain_label(label) in _LABELS) > 1
    return pairs if is_control_table else []


def plain_label(label: str) -> str:
    """Return a label in lower case, with single spaces, and without marks at its end."""
    return " ".join(label.replace("_", " ").replace("-", " ").lower().split()).rstrip(" :.*")


def _plain_value(value: str) -> str:
    """Return a value in one line, without characters that can be neither stored nor shown."""
    words = " ".join(value.split())
    return "".join(each for each in words if unicodedata.category(each) not in {"Cc", "Cs"})


def _vague_review(label: str, value: str) -> UnusedStatement:
    return UnusedStatement(
        field="review_by",
        note=f"{label} {shown(value)} is not used: it may be that of the last review; say when the"
        f" next one is due: --review-by {parse_date(value)}, or review_by in citebound.toml",
        is_vague=True,
    )


def _canonical_value(key: str, value: str) -> str:
    """Return a value that `value_problem` accepts in the form in which it is kept."""
    if key in _DAYS:
        found = parse_date(value) or date.max
        is_last = key == "last_day" and found < date.max
        return (found + timedelta(days=1) if is_last else found).isoformat()
    if key == "jurisdiction":
        return country_code(value) or value
    if key == "version" and (match := _VERSION.match(value)):
        return match.group(1).rstrip(".-")
    return value

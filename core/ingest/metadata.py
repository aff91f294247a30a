"""What a document states about itself: header table, "Label: value" lines, front matter.

Values are copied; dates and countries are brought into ISO form. What is missing or ambiguous is
left out: a guessed effective date would decide which rule was in force.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from core.language.jurisdictions import NAMES, WRITTEN
from core.language.spans import TextSpan

LONGEST_CLASS = 60
"""Characters of a class of sensitivity; what is longer is a sentence about one."""
_LINK = re.compile(r"https://[A-Za-z0-9.-]{1,253}(?:[/?#][!-~]{0,1500})?")
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
prose is the last day in force. A bare "review date" is not read: it may be that of the last one."""

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

_LINE = re.compile(r"\**+([^\W\d_][\w /()-]{1,40}?)\**+\s*+:\**+\s++(\S.*)")
_LONGEST_LABEL = 60
"""Characters by which a label has its colon."""
_FIRST_PAGE_CHARACTERS = 6000
_FIRST_LINES = 60
_MAX_VALUE_CHARACTERS = 200
_SEPARATOR = " | "
_VERSION = re.compile(r"(?:version|ver\.?|rev(?:ision)?\.?|v)?\s*(\d[\w.-]{0,20})", re.IGNORECASE)


def describe(text: str, tables: Iterable[TextSpan]) -> dict[str, str]:
    """Read header tables and labelled lines at the beginning of a text.

    Args:
        text: the whole text; only its first page's worth is read.
        tables: spans of its tables; those that begin on the first page are read by rows.

    Returns:
        The keys of `LoadedDocument.metadata` that were found.
    """
    pairs: list[tuple[str, str]] = []
    for table in tables:
        if table.char_start >= _FIRST_PAGE_CHARACTERS:
            break
        pairs += _pairs_of_table(table.of(text))
    for line in text[:_FIRST_PAGE_CHARACTERS].splitlines()[:_FIRST_LINES]:
        match = _LINE.fullmatch(line)
        if match and _SEPARATOR not in line:
            pairs.append((match.group(1), match.group(2)))
    return canonical_keys(pairs)


def front_matter(block: str) -> dict[str, str]:
    """Read the `key: value` lines between the `---` of a Markdown file, without quotes."""
    pairs: list[tuple[str, str]] = []
    for line in block.splitlines():
        key, colon, value = line.partition(":")
        if colon and not line.startswith((" ", "\t", "#", "-")):
            pairs.append((key, value.strip().strip("\"'")))
    named = [("title", value) for key, value in pairs if key.strip().casefold() == "name"]
    return canonical_keys([*pairs, *named])


def is_labelled(line: str) -> bool:
    """Return whether a line is a "Label: value"."""
    return _LINE.fullmatch(line) is not None


def is_of_policy(line: str) -> bool:
    """Return whether a line says something of the policy, under one of the labels known here."""
    match = _LINE.fullmatch(line) if ":" in line[:_LONGEST_LABEL] else None
    return match is not None and _plain_label(match.group(1)) in _LABELS


def canonical_keys(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return labels and values as in `LoadedDocument.metadata`; the first value counts."""
    found: dict[str, str] = {}
    for label, raw in pairs:
        key = _LABELS.get(_plain_label(label))
        value = _canonical_value(key, " ".join(raw.split())) if key else None
        if key and value:
            found.setdefault("effective_until" if key == "last_day" else key, value)
    return found


def is_link(text: str) -> bool:
    """Say whether a text is an address that a reply could lead to."""
    return _LINK.fullmatch(text) is not None


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
    is_control_table = sum(1 for label, _ in pairs if _plain_label(label) in _LABELS) > 1
    return pairs if is_control_table else []


def _plain_label(label: str) -> str:
    return " ".join(label.replace("_", " ").replace("-", " ").lower().split()).rstrip(" :.*")


def _canonical_value(key: str, value: str) -> str | None:
    if not value or len(value) > _MAX_VALUE_CHARACTERS:
        return None
    if key in {"effective_from", "effective_until", "last_day", "review_by"}:
        return _canonical_date(key, value)
    if key == "jurisdiction":
        return country_code(value)
    if (key == "url" and not is_link(value)) or (
        key == "sensitivity" and len(value) > LONGEST_CLASS
    ):
        return None
    if key == "version":
        match = _VERSION.match(value)
        return match.group(1).rstrip(".-") if match else None
    return value


def _canonical_date(key: str, value: str) -> str | None:
    found = parse_date(value)
    if found is None:
        return None
    if key == "last_day" and found < date.max:
        found += timedelta(days=1)
    return found.isoformat()

"""Where a document says that it holds: in one country, or everywhere."""

import re
from collections.abc import Mapping

from core.expressions import expression
from core.language.jurisdictions import NAMES, WRITTEN

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
_EVERYWHERE = expression(
    r"(?:in )?(?:(?:all|every|alle|allen) (?:countr(?:y|ies)|jurisdictions?|territories|locations"
    r"|sites|offices|subsidiaries|(?:group )?(?:companies|entities)|ländern?|standorten?"
    r"|(?:konzern)?gesellschaften)"
    r"(?: (?:of|in) the (?:group|company)"
    r"| (?:in which|where) (?:we operate|the (?:group|company) operates))?"
    r"|everywhere|world[ -]?wide|global(?:ly)?|(?:group|company)[ -]?wide"
    r"|weltweit|konzernweit|gruppenweit|unternehmensweit)"
)
_LOCAL_FIRST = expression(
    r"(?:subject to|unless|with|vorbehaltlich) (?:any )?"
    r"(?:local|national|lokaler|nationaler|örtlicher)"
    r"(?: (?:and|or|und|oder|[a-zäöü]*(?:supplements?|laws?|rules?|regulations?|requirements?"
    r"|regelungen|vorschriften|ergänzungen|gesetze|recht)|is stricter|differs?)){1,4}"
)
"""What may stand behind it: local rules go before. Anything else might be an exception."""


def country_code(text: str) -> str | None:
    """Return the ISO 3166 code of the one country that `text` names; None for several or none."""
    plain = text.strip().strip(".").lower()
    if text.strip() in _COUNTRY_CODES:
        return text.strip()
    return _COUNTRIES.get(plain) or _COUNTRIES.get(f"{plain}.")


def holds_everywhere(text: str) -> bool:
    """Return whether a text says that a policy holds everywhere, and names no exception."""
    first, *more = re.split(r" ?[,;/()] ?", text.strip().rstrip(".").casefold())
    return _EVERYWHERE.fullmatch(first) is not None and all(
        not part or _EVERYWHERE.fullmatch(part) or _LOCAL_FIRST.fullmatch(part) for part in more
    )

"""Which officers a report names: none of them may hear of it.

An officer left out without need costs little, since others take the report, or its writer is told
where else to turn. One who is missed reads who accused them. So the reading is generous: a first
name alone counts, of all who bear it; a name that begins with a capital may be inflected or have a
letter wrong.
"""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

from core.domain.officers import Officer, Officers
from core.expressions import expression

_TOKEN = expression(r"[^\W_]+")
_UMLAUTS = expression("[aou]e")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "a", "œ": "o"})
_ALSO_WORDS = frozenset(
    ("an", "bill", "can", "do", "grace", "grant", "hope", "in", "may", "no", "rich", "rose", "will")
)
"""Names that are words as well: they count with a capital."""
_LEAST_FOR_SLIPS = 4
"""Letters of a name in which one may be wrong, or an ending differ."""
_ALIKE = 0.8
"""Of five letters one differs."""
_ENDING = 3
"""Letters at most that an inflected name adds."""
_BY_ROLE = expression(
    r"(?<!to )(?<!tell )(?<!told )(?<!with )"
    r"\b(?:our|the|a|one of (?:our|the)|unsere?|die|der|eine?)\s+"
    r"(?:(?:chief|head of|director of|leiter(?:in)? der?)\s+)?(?:compliance|ethics|integrity)\b"
    r"(?:[\s-]+(?:officers?|managers?|leads?|directors?|heads?|team|department|beauftragten?|"
    r"abteilung|leiter(?:in)?))+|\b(?:head|director|chief) of compliance\b",
    re.IGNORECASE,
)
"""An officer by role, of whom nobody knows which one is meant: all of them. Not written to measure:
a sentence too many leaves officers out whom nobody accused, and its writer is told so."""


def kept_from(officers: Officers, texts: Iterable[str]) -> frozenset[str]:
    """Return logins and platforms' ids of the officers whom texts name."""
    written = unicodedata.normalize("NFC", "\n".join(texts))
    tokens = [(token, _folded(token)) for token in _TOKEN.findall(written)]
    named = [officer for officer in officers.all if _is_named(officer, written, tokens)]
    if not named and _BY_ROLE.search(" ".join(written.split())):
        named = list(officers.all)
    return frozenset(known for officer in named for known in _ids(officer))


def _ids(officer: Officer) -> list[str]:
    return [officer.login, *(account.person for account in officer.accounts)]


def _is_named(officer: Officer, written: str, tokens: list[tuple[str, str]]) -> bool:
    lower = written.casefold()
    if any(_stands_in(known.casefold(), lower) for known in _ids(officer)):
        return True
    login = officer.login.partition("@")[0]
    # "van", "de" and a middle initial name nobody.
    names = [part for part in _TOKEN.findall(officer.name) if part[0] != part[0].lower()]
    parts = {_folded(part) for part in names or _TOKEN.findall(officer.name)} | {
        _folded(part) for part in _TOKEN.findall(login)
    }
    return any(
        _is_name(token, folded, part) for part in parts if len(part) > 1 for token, folded in tokens
    )


def _stands_in(known: str, lower: str) -> bool:
    """Say whether an id stands in a text by itself, as in a mention."""
    return bool(known) and re.search(rf"(?<!\w){re.escape(known)}(?!\w)", lower) is not None


def _is_name(token: str, folded: str, part: str) -> bool:
    is_capital = token[0] != token[0].lower()
    if part in _ALSO_WORDS and not is_capital:
        return False
    if folded in {part, f"{part}s"}:
        return True
    if not is_capital or len(part) < _LEAST_FOR_SLIPS:
        return False
    stem = part.rstrip("aeiouy")
    is_inflected = folded.startswith(stem) and len(folded) - len(stem) <= _ENDING
    return (len(stem) >= _LEAST_FOR_SLIPS - 1 and is_inflected) or _is_slip(folded, part)


def _is_slip(typed: str, part: str) -> bool:
    """Say whether about one letter is wrong, missing or too many."""
    is_near = len(part) > _LEAST_FOR_SLIPS and abs(len(typed) - len(part)) <= 1
    return is_near and SequenceMatcher(None, typed, part).ratio() >= _ALIKE


def _folded(text: str) -> str:
    """Return a name without case, accents, and other ways to write an umlaut."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _UMLAUTS.sub(lambda pair: pair[0][0], plain)

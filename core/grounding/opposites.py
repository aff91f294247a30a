"""Words that turn a rule round: "after" for "before", "minimum" for "maximum".

Between a statement and a source in other words such a pair says little, since the rest of the
sentence may have turned with it. So it counts only if the statement has nearly all its words from
one sentence of the source, and neither denies what the other says.
"""

import re
from collections.abc import Sequence

from core.grounding.negation import aligned
from core.grounding.polarity import parity_differs, sentences_of
from core.language.content_words import families
from core.language.denials import is_negated

_PAIRS = (
    ("maximum", "minimum"),
    ("highest", "lowest"),
    ("earliest", "latest"),
    ("major", "minor"),
    ("single", "repeated"),
    ("most", "least"),
    ("more", "less"),
    ("more", "fewer"),
    ("longer", "shorter"),
    ("above", "below"),
    ("exceed", "below"),
    ("increas", "decreas"),
    ("start", "end"),
    ("begin", "end"),
    ("continu", "ceas"),
    ("continu", "end"),
    ("first", "last"),
    ("follow", "preced"),
    ("before", "after"),
    ("always", "never"),
    ("same", "different"),
    ("same", "separate"),
    ("enabl", "disabl"),
    ("lock", "unlock"),
    ("encrypt", "unencrypt"),
    ("authori", "unauthori"),
    ("paid", "unpaid"),
    ("paid", "forfeit"),
    ("accept", "reject"),
    ("approv", "reject"),
    ("grant", "revok"),
    ("includ", "exclud"),
    ("comply", "refus"),
    ("encourag", "discourag"),
    ("requir", "optional"),
    ("mandatory", "optional"),
    ("mandatory", "voluntary"),
    ("written", "verbal"),
    ("written", "oral"),
    ("public", "private"),
    ("public", "confidential"),
    ("internal", "external"),
    ("inside", "outside"),
    ("full-time", "part-time"),
    ("automatic", "manual"),
    ("personal", "business"),
    ("unanimous", "majority"),
    ("temporary", "permanent"),
    ("domestic", "international"),
)
"""Beginnings of words."""
_OPPOSITES: dict[str, frozenset[str]] = {}
for _one, _other in _PAIRS:
    _OPPOSITES[_one] = _OPPOSITES.get(_one, frozenset()) | {_other}
    _OPPOSITES[_other] = _OPPOSITES.get(_other, frozenset()) | {_one}
_FORM = re.compile(rf"\b({'|'.join(sorted(_OPPOSITES, key=len, reverse=True))})", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:before|prior|pre-?\w*|advance|first|beforehand|until|earlier|during)\b", re.IGNORECASE
)
_LATER = re.compile(
    r"\b(?:after(?:wards?)?|following|later|once|upon|subsequent\w*|retroactive\w*|complet\w*|since)\b",
    re.IGNORECASE,
)
_ALIKE = 0.75
"""Share of the statement's words that one sentence of the source must have."""
_ALIKE_IN_TIME = 0.6
"""The same, for before and after."""


def turned_word(claim: str, sources: Sequence[str]) -> str | None:
    """Say which word of `claim` is the opposite of one of its sources, or None."""
    said, text = families(claim), "\n".join(sources)
    shares = [len(said & one.words) / len(said) for one in sentences_of(text)] if said else []
    share = max(shares, default=0.0)
    if share < _ALIKE_IN_TIME:
        return None
    for ours, theirs, reason in (
        (_LATER, _EARLIER, "claim says after, source says before"),
        (_EARLIER, _LATER, "claim says before, source says after"),
    ):
        is_ours = ours.search(claim) and not theirs.search(claim)
        is_turned = is_ours and theirs.search(text) and not ours.search(text)
        if is_turned and not _turns(claim, text):
            return reason
    if share < _ALIKE:
        return None
    there, own = _forms(text), _forms(claim)
    for one in sorted(own - there):
        against = _OPPOSITES[one] & there - own
        if against and not parity_differs(claim, text):
            return f"claim says {one!r}, source says {min(against)!r}"
    return None


def _turns(claim: str, text: str) -> bool:
    """Say whether one of two denies: "not until" is "after"."""
    near = aligned(claim, text, least=_ALIKE_IN_TIME)
    return near is not None and is_negated(claim) is not is_negated(near.part)


def _forms(text: str) -> frozenset[str]:
    return frozenset(match[1].casefold() for match in _FORM.finditer(text))

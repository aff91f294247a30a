"""After `verify`: which part of a double question is left open, in the asker's own words.

Only a message that splits into questions has parts, and only a part of which no released claim and
no quoted heading has a single telling word counts as open: that nothing was found must be certain,
what was found need not be.
"""

from collections.abc import Iterable, Sequence

from core.agent.planning.parts import parts_of
from core.agent.wording import NO_SURE_ANSWER_TO, NOTHING_ON, PARTIAL
from core.domain.answer import Claim
from core.domain.ontology import SectionRef
from core.domain.run import Term
from core.language.content_words import content_words, words

_LONGEST = 120
"""Characters of a part that is named; a longer one is no question that one could repeat."""
_SHARED_LETTERS = 5
"""Letters with which words of one family begin alike ("approval", "approved")."""


def unanswered(
    question: str,
    claims: Sequence[Claim],
    places: Iterable[SectionRef] = (),
    *,
    left_open: Sequence[str] = (),
) -> str | None:
    """Return a remark that names the parts of a question that claims leave open.

    None if every part is answered, none is, or the message asks one thing.

    Args:
        question: The message.
        claims: What answers it.
        places: Where their quotes stand.
        left_open: Parts that whoever drafted the claims left open; see `Draft.left_open`.
    """
    if left_open:
        asked = [one for one in map(_asked, left_open) if one]
        return NO_SURE_ANSWER_TO.format(asked="; ".join(asked)) if asked else PARTIAL
    terms = tuple(Term(word=word, weight=1.0) for word in sorted(content_words(question)))
    parts = [part.text for part in parts_of(question, terms)]
    if len(parts) < 2:  # noqa: PLR2004
        return None
    said = [text for claim in claims for text in (claim.text, *(c.quote for c in claim.citations))]
    named = [text for place in places for text in (place.title, place.policy_title)]
    there = _families(" ".join((*said, *named)))
    left = [part for part in parts if not _families(part) & there]
    if not left or len(left) == len(parts):
        return None
    asked = [one for one in map(_asked, left) if one]
    return NOTHING_ON.format(asked="; ".join(asked)) if asked else None


def _families(text: str) -> frozenset[str]:
    return frozenset(word[:_SHARED_LETTERS] for word in content_words(text))


def _asked(part: str) -> str | None:
    """Return the asker's words, set apart as such; None if they are too many to be repeated."""
    kept = " ".join(part.split()).strip(" ,;?!.")
    first, _, rest = kept.partition(" ")
    kept = rest if words(first) and words(first)[0] in {"and", "but", "so"} else kept
    return f"\u201c{kept}\u201d" if 0 < len(kept) <= _LONGEST else None

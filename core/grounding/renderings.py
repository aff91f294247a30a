"""A statement beside its rendering in another language: what code can tell to be different.

The statement was held against the policies; its rendering is a model's, and nothing here
understands it. So these checks are strict: what they are not sure of is not shown, and the
statement itself is. They hold a rendering to be

1. in the language that was asked for, in one piece, without links, mentions and markup;
2. of a length that a translation has;
3. of the same figures, with the same units;
4. of the same force: what must, may and must not be done, and no negation more or less;
5. of the same exceptions, conditions, bounds and frequencies;
6. of the same people and abbreviations.

That the same people do something else to each other passes all of them. `docs/quality.md` has how
much they find, and how many right renderings they turn away.
"""

import re

from core.grounding.marks import difference, listed, marks_kept
from core.grounding.support import Grounds, ungrounded
from core.language.figures import figures_in
from core.language.languages import Language, language_of
from core.language.parties import missing_abbreviations, parties_in
from core.language.rule_marks import KNOWN

SHORTEST, LONGEST, SPARE = 0.5, 2.2, 30
"""Characters of a rendering by those of its statement, and how many more it may have. Those of 60
right ones in three languages lie between .75 and 1.6."""
MOST = 2_000
"""Characters of either: a whole answer has no more."""
_LIVE = re.compile(
    r"[<>@#*_`|~\[\]{}\\^]|://|www\.|[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def changed_in(rendering: str, statement: str, *, wanted: Language) -> str | None:
    """Return what speaks against showing a rendering; None if nothing does.

    Args:
        rendering: What a model made of the statement.
        statement: A verified statement, in any language that the rules of marks know.
        wanted: The language that it was to be in.
    """
    if not 0 < len(rendering.strip()) <= MOST or len(statement) > MOST:
        return "it is empty or too long"
    if _LIVE.search(rendering):
        return "it has a link, a mention or markup"
    said = language_of(statement)
    if wanted not in KNOWN or said not in KNOWN or language_of(rendering) is not wanted:
        return "it is in another language than the asker's"
    least, most = SHORTEST * len(statement) - SPARE, LONGEST * len(statement) + SPARE
    if not least <= len(rendering) <= most:
        return f"it has {len(rendering)} characters for {len(statement)}"
    return (
        difference("figures", figures_in(statement, said), figures_in(rendering, wanted))
        or marks_kept(rendering, statement, wanted, said)
        or _parties_kept(rendering, statement)
    )


def read_back_differs(read: str, statement: str) -> str | None:
    """Return what a statement and its rendering, translated back, do not both say.

    Each is held against the other as a claim against what it cites, where the rules read the
    language; in others they are held to the same figures, force and people.

    Args:
        read: What a model made of the rendering, without the statement.
        statement: The verified statement.
    """
    said = language_of(statement)
    if said is not Language.ENGLISH:
        changed = changed_in(read, statement, wanted=said)
        return f"read back, {changed}" if changed else None
    if not 0 < len(read) <= MOST or language_of(read) is not said:
        return "read back, it is in another language"
    for text, source in ((read, statement), (statement, read)):
        for wrong in ungrounded(text, Grounds(texts=[source])).values():
            if wrong:
                return f"read back as {read!r:.300}: {wrong}"
    return None


def _parties_kept(rendering: str, statement: str) -> str | None:
    there, here = set(parties_in(statement)), set(parties_in(rendering))
    if there != here:
        return f"people: {listed(there)} there, {listed(here)} here"
    lost = missing_abbreviations(statement, rendering) | missing_abbreviations(rendering, statement)
    return f"abbreviations: {listed(lost)}" if lost else None

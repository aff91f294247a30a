"""What is quoted for one question of a message, and how a quoted unit becomes a claim."""

import re
from collections.abc import Sequence

from core.agent.extractive.passages import Unit
from core.agent.extractive.scoring import Scored, Wanted, concerns
from core.agent.facets import EMPLOYMENT, JURISDICTION, Facets, facets_of
from core.agent.planning.facts import are_alike
from core.domain.answer import Citation, Claim
from core.language.phrasing import introduces, item_sentence, row_sentence, sentence

QUOTED = 3
"""Sentences that answer together. On 303 answerable questions about 18 documents the best sentence
is the right one for 69 %, one of the best two for 80 %, of the best three for 86 %."""
NEARLY = 3.0
"""Log-odds below the best sentence down to which another one is quoted with it."""
NEAR_ROW = 0.5
"""The same for two rows of one table: the others of a table tell of other things."""
WHOLE = 420
"""Characters up to which a section without a list or table is quoted with all that belongs to the
best sentence."""
MAX_UNITS = 4
MAX_ITEMS = 9
MAX_CHARACTERS = 1_200
_GOES_ON = re.compile(
    r"(?:unless|except|however|but|if|where|in (?:such|this|that|these) cases?|there (?:is"
    r"|are) no|the same|this|these|that|it|they"
    r"|otherwise|only|no other|any such|such|further|the limit|exceptions?|footnote|endnote)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"(?:this|these|those|such|they|however|but)\b(?!\s+(?:policy|section|document|procedure|plan"
    r"|standard|handbook|code|guide|supplement)\b)"
    r"|in (?:such|this|that|these) (?:cases?|events?)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says nothing without the one before it ("This prohibition ...")."""
_LISTS = re.compile(
    r"\b(?:which|what are|list|signs|examples|steps|conditions|criteria)\b", re.IGNORECASE
)


def claim_of(unit: Unit) -> Claim:
    """Return the unit as a claim; a list item or table row is said with what introduces it."""
    citation = Citation(key=unit.key, span=unit.span, quote=unit.text)
    if unit.lead_in is None:
        return Claim(text=sentence(unit.text), citations=(citation,))
    leads = (unit.lead_in,) if unit.is_row else unit.lead_ins
    introduced = tuple(Citation(key=one.key, span=one.span, quote=one.text) for one in leads)
    text = row_sentence(leads[-1].text, unit.text) if unit.is_row else sentence(unit.text)
    for lead in () if unit.is_row else reversed(leads):
        text = item_sentence(lead.text, text) if introduces(lead.text) else text
    return Claim(text=text, citations=(*introduced, citation))


def quoted_of(ranked: Sequence[Scored], wanted: Wanted) -> list[Scored]:
    """Return the best sentence and those that answer nearly as well, the best first.

    None that holds for others than the best one does, no rule twice, and of a table no row
    that answers less well: the others tell of other things.
    """
    best = ranked[0]
    chosen = [best]
    for one in ranked[1:]:
        if len(chosen) == QUOTED or one.strength < best.strength - NEARLY:
            break
        if _holds_alike(one, best, wanted) and not any(
            are_alike(one.unit.words, known.unit.words) or _is_other_row(one, known)
            for known in chosen
        ):
            chosen.append(one)
    return chosen


def _is_other_row(one: Scored, other: Scored) -> bool:
    """Say whether a row stands in another one's table without answering as well as that."""
    are_rows = one.unit.is_row and other.unit.is_row and one.unit.lead_in == other.unit.lead_in
    return are_rows and one.strength < other.strength - NEAR_ROW


def _holds_alike(one: Scored, best: Scored, wanted: Wanted) -> bool:
    """Say whether a sentence holds for whom the best one does, or for the asker."""
    mine, theirs = _holds_for(one), _holds_for(best)
    return all(
        mine.of(slot) <= theirs.of(slot) | wanted.facets.of(slot)
        for slot in (JURISDICTION, EMPLOYMENT)
    )


def _holds_for(one: Scored) -> Facets:
    said = facets_of(one.unit.text)
    return Facets(
        jurisdictions=said.jurisdictions | one.passage.facets.jurisdictions,
        employments=said.employments | one.passage.facets.employments,
    )


def expand(one: Scored, wanted: Wanted) -> list[Unit]:
    """Return the units of a section to quote around one of its sentences.

    A list's items, conditions that follow, all of a short section.
    """
    units, best = [unit for unit in one.passage.units if not unit.is_part], one.unit
    if best.text.rstrip().endswith(":"):
        return _bounded([best, *_items(units, best)], MAX_ITEMS)
    if (best.is_item or best.is_row) and best.lead_in is not None and _LISTS.search(wanted.text):
        return _bounded(_items(units, best.lead_in), MAX_ITEMS, keep=best)
    before = _leant_on(units, best)
    if _is_short(units):
        kept = [unit for unit in units if unit in {best, before} or _belongs(unit, best, wanted)]
        return _bounded(kept, MAX_UNITS, keep=best)
    taken = [before, best] if before else [best]
    for unit in units[units.index(best) + 1 :]:
        if unit.is_row or unit.is_item or not _GOES_ON.match(unit.text):
            break
        taken.append(unit)
    return _bounded(taken, MAX_UNITS, keep=best)


def _leant_on(units: Sequence[Unit], best: Unit) -> Unit | None:
    """Return the sentence without which the best one says nothing; None if it stands alone."""
    place = units.index(best)
    if not place or best.is_item or best.is_row or _LEANS.match(best.text) is None:
        return None
    before = units[place - 1]
    return None if before.is_item or before.is_row or before.asks else before


def _is_short(units: Sequence[Unit]) -> bool:
    return sum(len(unit.text) for unit in units) <= WHOLE and not any(
        unit.is_row or unit.is_item for unit in units
    )


def _belongs(unit: Unit, best: Unit, wanted: Wanted) -> bool:
    """Say whether a sentence of a short section speaks of what the best one speaks of."""
    related = bool(unit.words & best.words) or _GOES_ON.match(unit.text) is not None
    return related and not unit.asks and concerns(facets_of(unit.text), wanted.facets)


def _items(units: Sequence[Unit], lead_in: Unit) -> list[Unit]:
    return [
        unit for unit in units if unit.lead_in is not None and unit.lead_in.span == lead_in.span
    ]


def _bounded(units: list[Unit], most: int, *, keep: Unit | None = None) -> list[Unit]:
    kept: list[Unit] = []
    size = 0
    for unit in units:
        if unit is not keep and (len(kept) >= most or size + len(unit.text) > MAX_CHARACTERS):
            continue
        kept.append(unit)
        size += len(unit.text)
    return kept

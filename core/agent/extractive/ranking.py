"""Rank the sentences of the evidence by how well each answers one question of a message.

The reader is slow beside everything else here, so it is shown the likeliest sentences alone, and
the passages around the best of those.
"""

from collections.abc import Sequence

from core.agent.extractive.passages import Passage, Unit
from core.agent.extractive.scoring import (
    WHOLE,
    Scored,
    Wanted,
    by_words,
    concerns,
    covered,
    preference,
)
from core.agent.planning.amounts import is_of_another_amount
from core.agent.timing import in_turns
from core.language.phrasing import row_sentence
from core.language.reader_text import WINDOW, reader_text
from core.ports import Reader

READ = 96
"""Sentences that are read with the question. Of 303 answerable questions on 18 documents the three
best of 60 held the answer as often as the three best of all (.865); longer documents need more."""
IN_CONTEXT = 6
"""Of the best sentences, how many are read again with what stands around them."""
BY_CHUNK, BY_BM25, BY_COVERAGE = 0.65, 0.35, 0.4
"""What the likeliest sentences are chosen by: cosine and BM25 of the chunk, and their own words."""


async def rank(
    passages: Sequence[Passage], wanted: Wanted, *, reader: Reader | None, most: int = READ
) -> list[Scored]:
    """Return the sentences that may answer, the strongest first.

    Those for another country, employment or amount are left out.

    Args:
        passages: The evidence by section.
        wanted: The question.
        reader: None: words alone.
        most: Sentences that are read.
    """
    pairs = [
        (passage, unit)
        for passage in passages
        if concerns(passage.facets, wanted.facets)
        for unit in passage.units
        if not unit.introduces
        and not unit.asks
        and not unit.is_part
        and not is_of_another_amount(wanted.amounts, unit.text)
    ]
    shares = await in_turns(lambda pair: covered(*pair, wanted), pairs)
    if reader is None:
        scored = [
            _scored(pair, wanted, coverage=share, sentence=by_words(pair[0], share))
            for pair, share in zip(pairs, shares, strict=True)
        ]
    else:
        near = [(pairs[at], shares[at]) for at in _likeliest(pairs, shares, most=most)]
        scored = await _read(near, wanted, reader)
    return sorted(
        scored,
        key=lambda one: (-one.strength, one.passage.version_id, one.unit.span.char_start),
    )


def by_section(ranked: Sequence[Scored]) -> list[Scored]:
    """Return the strongest sentence of each section, the strongest first."""
    best: dict[int, Scored] = {}
    for one in ranked:
        best.setdefault(id(one.passage), one)
    return list(best.values())


def _likeliest(
    pairs: Sequence[tuple[Passage, Unit]], shares: Sequence[float], *, most: int
) -> list[int]:
    """Return which sentences are read."""
    highest = max((passage.lexical_score for passage, _ in pairs), default=0.0) or 1.0

    def likely(number: int) -> float:
        passage = pairs[number][0]
        chunk = BY_CHUNK * passage.dense_score + BY_BM25 * passage.lexical_score / highest
        return chunk + BY_COVERAGE * shares[number]

    return sorted(range(len(pairs)), key=lambda number: (-likely(number), number))[:most]


async def _read(
    near: Sequence[tuple[tuple[Passage, Unit], float]], wanted: Wanted, reader: Reader
) -> list[Scored]:
    logits = await reader.scores(wanted.text, [_shown(*pair) for pair, _ in near])
    scored = [
        _scored(pair, wanted, coverage=share, sentence=logit)
        for (pair, share), logit in zip(near, logits, strict=True)
    ]
    order = sorted(range(len(scored)), key=lambda number: -scored[number].strength)[:IN_CONTEXT]
    around = [_shown_whole(scored[number].passage, scored[number].unit) for number in order]
    wholes = await reader.scores(wanted.text, around)
    for number, whole in zip(order, wholes, strict=True):
        pair, share = near[number]
        scored[number] = _scored(pair, wanted, coverage=share, sentence=logits[number], whole=whole)
    return scored


def _scored(
    pair: tuple[Passage, Unit],
    wanted: Wanted,
    *,
    coverage: float,
    sentence: float,
    whole: float | None = None,
) -> Scored:
    passage, unit = pair
    around = sentence if whole is None else whole
    return Scored(
        passage=passage,
        unit=unit,
        sentence=sentence,
        whole=around,
        coverage=coverage,
        strength=sentence + WHOLE * around + preference(passage, unit, wanted),
    )


def _shown(passage: Passage, unit: Unit) -> str:
    place = passage.place
    lead_in = "" if unit.is_row else " ".join(one.text for one in unit.lead_ins)
    return reader_text(place.policy_title, place.path, _said(unit), lead_in=lead_in or None)


def _said(unit: Unit) -> str:
    """Return a unit's text; a table row as a sentence, since the reader knows no tables."""
    if unit.lead_in is None or not unit.is_row:
        return unit.text
    return row_sentence(unit.lead_in.text, unit.text)


def _shown_whole(passage: Passage, unit: Unit) -> str:
    """Return the passage around a sentence: whole units, as many as are read at once."""
    place = passage.place
    said = [one for one in passage.units if not one.introduces]
    return reader_text(place.policy_title, place.path, _window(said, unit))


def _window(units: Sequence[Unit], unit: Unit) -> str:
    window: list[Unit] = []
    size = 0
    for one in units:
        count = len(_said(one).split())
        if window and size + count > WINDOW:
            if unit in window:
                break
            window, size = [], 0
        window.append(one)
        size += count
    return " ".join(map(_said, window))

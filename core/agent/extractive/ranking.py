"""Rank the sentences of the evidence by how well each answers a question.

The reader (a cross-encoder) is slow beside everything else here, so it is shown only the likeliest
sentences, and the passages around the best of those; without a reader, words decide. A sentence's
strength is a number of log-odds that ranks sentences. Whether the best of them answer at all is
another question, which a fit over their measures decides.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.agent.concurrency import map_yielding
from core.agent.evidence_text import EvidencePassage, QuotableUnit
from core.agent.extractive.questions import SubQuestion
from core.agent.planning.facts import defines
from core.agent.planning.intent import Facets, Intent, facets_of, is_of_another_amount
from core.agent.planning.terms import cover
from core.domain.question import EMPLOYMENT, JURISDICTION
from core.language.content_words import content_words
from core.language.modality import Modality, modality
from core.language.people import addressees, names_in
from core.language.phrasing import row_sentence
from core.language.reader_text import WINDOW, reader_text
from core.ports import Reader

HEADING, ABOVE, TITLE = 0.9, 0.8, 0.6
"""What a match counts in the section's heading, in those above it and in the policy's title; in the
sentence itself it counts 1."""
WHOLE = 0.5
"""What the passage around a sentence counts, against 1 for the sentence."""
LOCAL = 1.0
"""Log-odds for a rule made for the asker: a supplement prevails over the rule that it supplements.
Reasoned, not fitted, as are the three below: less than what parts two unlike sentences."""
FOREIGN = -3.0
"""Log-odds for a sentence that speaks of somebody else's country or employment: enough to put it
behind a rule that answers half as well, not enough to hide what nothing else says."""
COVERAGE, DENSE, LEXICAL = 6.0, 4.0, 3.0
"""Log-odds, where there is no reader, for the share of the question's words that a sentence covers,
for its chunk's cosine and for the chunk's share of BM25."""
GROUP = -3.0
"""Log-odds for a rule that is for a group of staff to which the asker is not known to belong, as
`FOREIGN`."""
NAMED = 6.0
"""Log-odds for a sentence, or its heading, that names those whom the question is about ("a public
official"): one that does not is nearly out of question."""
FORBIDDEN = 1.0
"""Log-odds more for one that forbids it to them plainly, where it is asked whether one may: beside
it an exception reads as a permission."""
THING = 3.0
"""Log-odds for a sentence that itself names the thing for which a follow-up exchanged another one:
items of one list are all under a lead-in that may name it. Reasoned."""
DEFINES = 6.0
"""Log-odds, where it is asked what something is, for the row or sentence whose subject is just
that: the rows of a table of definitions name each other. As `NAMED`."""
FAR = 5.0
"""Log-odds: a lead of more says no more."""
LOGITS = 12.0
"""A logit beyond says no more."""


_UNLESS = re.compile(r"\b(?:unless|except|without|until|other than)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSentence:
    """A sentence with its scores for a question."""

    passage: EvidencePassage
    """Its section."""
    unit: QuotableUnit
    """The sentence."""
    sentence: float
    """The reader's logit of the sentence; without a reader the same as `strength`."""
    whole: float
    """The reader's logit of the passage around it; its own where that was not read."""
    coverage: float
    """Weighted share of the question's words that sentence, headings and title cover, in [0, 1]."""
    strength: float
    """What it is ranked by, in log-odds."""


def covered(passage: EvidencePassage, unit: QuotableUnit, wanted: SubQuestion) -> float:
    """Return the share of a question's words that are there if this unit is quoted."""
    return cover(wanted.terms, layers(passage, unit)).share


def layers(passage: EvidencePassage, unit: QuotableUnit) -> list[tuple[frozenset[str], float]]:
    """Return the texts that cover a question if this unit is quoted.

    With what a match in each counts.
    """
    return [
        (unit.words, 1.0),
        (passage.heading, HEADING),
        (passage.above, ABOVE),
        (passage.title, TITLE),
    ]


def by_words(passage: EvidencePassage, coverage: float) -> float:
    """Return the strength of a sentence without a reader."""
    return COVERAGE * coverage + DENSE * passage.dense_score + LEXICAL * passage.lexical_score


def preference(passage: EvidencePassage, unit: QuotableUnit, wanted: SubQuestion) -> float:
    """Return log-odds for a rule made for the asker, or for somebody else."""
    is_local = any(
        wanted.facets.of(slot) & passage.facets.of(slot) for slot in (JURISDICTION, EMPLOYMENT)
    )
    is_foreign = not concerns(facets_of(unit.text), wanted.facets)
    lead_in = "\n".join(one.text for one in unit.lead_ins)
    others = addressees(unit.text, passage.place.title, lead_in) - wanted.groups
    is_named = bool(wanted.bound) and not wanted.bound.isdisjoint(
        names_in(" ".join((passage.place.title, lead_in, unit.text)))
    )
    is_forbidden = is_named and Intent.PERMISSION in wanted.intents and _forbids(unit.text)
    named = NAMED * is_named + FORBIDDEN * is_forbidden
    is_of_thing = bool(wanted.thing) and wanted.thing <= content_words(unit.text)
    held = LOCAL * is_local + FOREIGN * is_foreign + GROUP * bool(others)
    is_defined = Intent.DEFINITION in wanted.intents and defines(unit.text, wanted.text)
    return held + named + THING * is_of_thing + DEFINES * is_defined


def _forbids(text: str) -> bool:
    return modality(text) is Modality.MUST_NOT and _UNLESS.search(text) is None


def concerns(found: Facets, asked: Facets) -> bool:
    """Say whether rules for `found` can hold for who asks.

    A fact that either side leaves open fits.
    """
    return all(
        not found.of(slot) or not asked.of(slot) or found.of(slot) & asked.of(slot)
        for slot in (JURISDICTION, EMPLOYMENT)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFit:
    """Log-odds that the quoted sentences answer: an intercept and a weight for each measure."""

    intercept: float
    weights: Mapping[str, float]

    def probability(self, measures: Mapping[str, float]) -> float:
        """Return the probability in [0, 1]; 0 for measures that are no numbers."""
        odds = self.intercept + sum(
            weight * measures[name] for name, weight in self.weights.items()
        )
        return 0.0 if math.isnan(odds) else 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


ANSWERS = AnswerFit(
    intercept=-9.0,
    weights={"sentence": 5.97, "whole": 3.01, "lead": 5.33, "coverage": 2.11},
)
"""Fitted by `python -m evals.fit_acceptance` on 260 questions about 18 workplace policies of other
people, none of which the reader had seen with its questions; AUROC .84 with whole documents held
out in turn. Of 371 questions about them in words that the policies do not use it then answers 18 %
rightly and 2 % wrongly. They belong to the weights that ship: another reader has logits of its
own."""
SURE = 0.73
"""Likelihood from which an answer is Medium (see `core.confidence.calibration.DEFAULT`)."""
ANSWERS_BY_WORDS = AnswerFit(intercept=-17.0, weights={"sentence": 19.0, "lead": 4.0})
"""Without a reader. Reasoned towards declining, not fitted: of the same questions 23 % are answered
rightly and 2.7 % wrongly, and 95 % of the unanswerable are declined. What the script fits for words
(AUROC .73) answers 26 % at as few wrong answers, and declines 88 %."""


def measures_of(
    ranked: Sequence[ScoredSentence], quoted: Sequence[ScoredSentence]
) -> dict[str, float]:
    """Measure the sentences to be quoted, and what is left unquoted; each measure in [0, 1].

    Args:
        ranked: All sentences, the strongest first; not empty.
        quoted: Those of them that are quoted; not empty.
    """
    best = quoted[0]
    spans = {one.unit.span for one in quoted}
    return {
        "sentence": _within(best.sentence, LOGITS),
        "whole": _within(best.whole, LOGITS),
        "lead": _lead(best, [one for one in ranked if one.unit.span not in spans]),
        "lead_of_section": _lead(best, [one for one in ranked if one.passage is not best.passage]),
        "ten": _within(sum(one.sentence for one in ranked[:10]) / len(ranked[:10]), LOGITS),
        "coverage": min(1.0, max(one.coverage for one in quoted)),
    }


def _lead(best: ScoredSentence, others: Sequence[ScoredSentence]) -> float:
    """Return how far the best sentence is ahead of the strongest of others."""
    rival = max((one.strength for one in others), default=best.strength - FAR)
    return _within(best.strength - rival, FAR)


def _within(value: float, bound: float) -> float:
    """Return where a value lies between minus and plus a bound, in [0, 1]."""
    return (max(-bound, min(bound, value)) + bound) / (2 * bound)


READ = 48
"""Sentences that are read with the question: reading is most of what a question costs. Of 320
questions on 16 workplace policies, 96 with 6 in context answered 160 rightly and 6 wrongly, these
165 and 6; on the development sets of the samples both are equal."""
IN_CONTEXT = 4
"""Of the best sentences, how many are read again with what stands around them. With 3 one more
answer was wrong, and one more question answered that the policy leaves open."""
BY_CHUNK, BY_BM25, BY_COVERAGE = 0.65, 0.35, 0.4
"""What the likeliest sentences are chosen by: cosine and BM25 of the chunk, and their own words."""


async def rank(
    passages: Sequence[EvidencePassage],
    wanted: SubQuestion,
    *,
    reader: Reader | None,
    most: int = READ,
) -> list[ScoredSentence]:
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
    shares = await map_yielding(lambda pair: covered(*pair, wanted), pairs)
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


def by_section(ranked: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """Return the strongest sentence of each section, the strongest first."""
    best: dict[int, ScoredSentence] = {}
    for one in ranked:
        best.setdefault(id(one.passage), one)
    return list(best.values())


def _likeliest(
    pairs: Sequence[tuple[EvidencePassage, QuotableUnit]], shares: Sequence[float], *, most: int
) -> list[int]:
    """Return which sentences are read."""
    highest = max((passage.lexical_score for passage, _ in pairs), default=0.0) or 1.0

    def likely(number: int) -> float:
        passage = pairs[number][0]
        chunk = BY_CHUNK * passage.dense_score + BY_BM25 * passage.lexical_score / highest
        return chunk + BY_COVERAGE * shares[number]

    return sorted(range(len(pairs)), key=lambda number: (-likely(number), number))[:most]


async def _read(
    near: Sequence[tuple[tuple[EvidencePassage, QuotableUnit], float]],
    wanted: SubQuestion,
    reader: Reader,
) -> list[ScoredSentence]:
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
    pair: tuple[EvidencePassage, QuotableUnit],
    wanted: SubQuestion,
    *,
    coverage: float,
    sentence: float,
    whole: float | None = None,
) -> ScoredSentence:
    passage, unit = pair
    around = sentence if whole is None else whole
    return ScoredSentence(
        passage=passage,
        unit=unit,
        sentence=sentence,
        whole=around,
        coverage=coverage,
        strength=sentence + WHOLE * around + preference(passage, unit, wanted),
    )


def _shown(passage: EvidencePassage, unit: QuotableUnit) -> str:
    place = passage.place
    lead_in = "" if unit.is_row else " ".join(one.text for one in unit.lead_ins)
    return reader_text(place.policy_title, place.path, _said(unit), lead_in=lead_in or None)


def _said(unit: QuotableUnit) -> str:
    """Return a unit's text; a table row as a sentence, since the reader knows no tables."""
    if unit.lead_in is None or not unit.is_row:
        return unit.text
    return row_sentence(unit.lead_in.text, unit.text)


def _shown_whole(passage: EvidencePassage, unit: QuotableUnit) -> str:
    """Return the passage around a sentence: whole units, as many as are read at once."""
    place = passage.place
    said = [one for one in passage.units if not one.introduces]
    return reader_text(place.policy_title, place.path, _window(said, unit))


def _window(units: Sequence[QuotableUnit], unit: QuotableUnit) -> str:
    window: list[QuotableUnit] = []
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

"""Which sentences are quoted for a question, as claims; when to ask back, and when rules conflict.

A question is asked back where the answer depends on a fact that it leaves open. Two policies
conflict where they state the same rule with different figures.
"""

import re
from collections.abc import Sequence

from core.agent.evidence_text import QuotableUnit
from core.agent.extractive.questions import SubQuestion
from core.agent.extractive.ranking import ScoredSentence, by_section, concerns, layers
from core.agent.planning.facts import are_alike
from core.agent.planning.intent import Facets, facets_of
from core.agent.planning.terms import cover, is_telling
from core.domain.answer import Branch, Citation, Claim
from core.domain.question import ALL, EMPLOYMENT, JURISDICTION, Question
from core.domain.run import Term
from core.language.content_words import content_words
from core.language.interface.texts import Text
from core.language.jurisdictions import country_name
from core.language.languages import Language
from core.language.lead_ins import ends_in_colon
from core.language.phrasing import introduces, item_sentence, row_sentence, sentence
from core.language.quantities import quantities
from core.ontology.graphs.conflicts import are_of_one_matter

NOWHERE: frozenset[str] = frozenset()
"""No country has policies of its own."""
STRONG = 2.0
"""Logits below the best sentence down to which another section is an answer of its own, whomever it
is for: that is what is asked."""
AS_FULL = 0.8
"""Share of the best coverage that it must have too."""
SIBLING = 0.5
"""Share of the best coverage from which a section beside the best one is another case of the same
rule."""
_QUESTIONS = {
    JURISDICTION: Text(
        "In which country do you work? The rules differ.",
        "In welchem Land arbeiten Sie? Die Regeln unterscheiden sich.",
    ),
    EMPLOYMENT: Text(
        "Do you work here as an employee or as a contractor? The rules differ.",
        "Sind Sie hier angestellt, oder arbeiten Sie als externe Kraft? Die Regeln unterscheiden"
        " sich.",
    ),
}
_MEASURES = frozenset({"amount", "percentage", "duration"})


def strong_ones(ranked: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """Return the sections that answer nearly as well as the best."""
    if not ranked:
        return []
    best = ranked[0]
    return [one for one in ranked if _is_strong(one, best)]


def _is_strong(one: ScoredSentence, best: ScoredSentence) -> bool:
    return one.sentence >= best.sentence - STRONG and one.coverage >= AS_FULL * best.coverage


def find_branch(
    ranked: Sequence[ScoredSentence],
    wanted: SubQuestion,
    *,
    countries: frozenset[str] = NOWHERE,
    language: Language = Language.ENGLISH,
) -> Branch | None:
    """Return the fact to ask for, if rules for different values of it answer differently.

    A rule from the policy of one country is never given to somebody whose country is unknown,
    where other countries (`countries`) have policies of their own.
    """
    if not ranked:
        return None
    best = ranked[0]
    for slot in (EMPLOYMENT, JURISDICTION):
        mine = _values(best, slot)
        if wanted.facets.of(slot) or len(mine) > 1:
            continue
        texts = {next(iter(mine)): best.unit.text} if mine else dict[str, str]()
        for one in ranked[1:]:
            said = _values(one, slot)
            if len(said) == 1 and (
                _is_strong(one, best) or _is_sibling(one, best, mine) or _says_alike(one, best)
            ):
                texts.setdefault(next(iter(said)), one.unit.text)
        if slot == JURISDICTION and best.passage.place.jurisdiction in countries:
            texts = {**{country: country for country in countries}, **texts}
        if len(set(texts.values())) > 1 and (mine or slot == JURISDICTION):
            values = sorted(texts)
            options = [country_name(value) for value in values] if slot == JURISDICTION else values
            return Branch(slot=slot, question=_QUESTIONS[slot].of(language), options=tuple(options))
    return None


def _values(one: ScoredSentence, slot: str) -> frozenset[str]:
    said = facets_of(one.unit.text).of(slot) or one.passage.facets.of(slot)
    if said:
        return said
    # "A gift above this limit" is for whom the sentence before it names.
    around = frozenset[str]().union(*(facets_of(unit.text).of(slot) for unit in one.passage.units))
    return around if len(around) == 1 else said


def _is_sibling(one: ScoredSentence, best: ScoredSentence, mine: frozenset[str]) -> bool:
    """Say whether a section stands beside the best one under the same heading.

    For another value of the fact.
    """
    here, there = best.passage.place, one.passage.place
    return (
        bool(mine)
        and here.policy_key == there.policy_key
        and bool(here.path[:-1])
        and here.path[:-1] == there.path[:-1]
        and one.coverage >= SIBLING * best.coverage
    )


def _says_alike(one: ScoredSentence, best: ScoredSentence) -> bool:
    """Say whether two sentences give the same rule.

    As a supplement does with the rule that it supplements.
    """
    return are_alike(content_words(one.unit.text), content_words(best.unit.text))


def find_conflict(ranked: Sequence[ScoredSentence]) -> tuple[ScoredSentence, ScoredSentence] | None:
    """Return two passages of different policies that say the same of the same thing.

    But for the figure.
    """
    strong = strong_ones(ranked)
    for index, one in enumerate(strong):
        for other in strong[index + 1 :]:
            if one.passage.place.policy_key != other.passage.place.policy_key and _contradict(
                one, other
            ):
                return one, other
    return None


def _contradict(one: ScoredSentence, other: ScoredSentence) -> bool:
    mine, theirs = facets_of(one.unit.text), facets_of(other.unit.text)
    if mine.jurisdictions != theirs.jurisdictions or mine.employments != theirs.employments:
        return False
    if one.passage.facets.jurisdictions != other.passage.facets.jurisdictions:
        return False
    first, second = _measures(one.unit.text), _measures(other.unit.text)
    same_kinds = {kind for kind, _ in first} & {kind for kind, _ in second}
    if not same_kinds or first & second:
        return False
    return _says_alike(one, other) and are_of_one_matter(one.unit.text, other.unit.text)


def _measures(text: str) -> set[tuple[str, str]]:
    return {(str(item.kind), item.canonical) for item in quantities(text) if item.kind in _MEASURES}


MOST_CASES = 4
"""Sections quoted if every case was asked for."""
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


def claim_of(unit: QuotableUnit) -> Claim:
    """Return the unit as a claim; a list item or table row is said with what introduces it."""
    citation = Citation(key=unit.key, span=unit.span, quote=unit.text)
    if unit.lead_in is None:
        return Claim(text=sentence(unit.text), citations=(citation,))
    leads = (unit.lead_in,) if unit.is_row else unit.lead_ins
    introduced = tuple(
        Citation(key=one.key, span=one.span, quote=one.text, is_header=unit.is_row) for one in leads
    )
    text = row_sentence(leads[-1].text, unit.text) if unit.is_row else sentence(unit.text)
    for lead in () if unit.is_row else reversed(leads):
        text = item_sentence(lead.text, text) if introduces(lead.text) else text
    return Claim(text=text, citations=(*introduced, citation))


def stating_something(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return claims, each once, without what only introduces a list.

    Its items are said with it; alone it would seem to introduce whatever is quoted next.
    """
    kept = [claim for claim in claims if not ends_in_colon(claim.text)]
    return tuple(dict.fromkeys(kept or claims))


def sentences_to_quote(
    ranked: Sequence[ScoredSentence], wanted: SubQuestion, question: Question
) -> list[ScoredSentence]:
    """Return the sentences to quote: the best ones, or every case if all were asked for."""
    if any(item.value == ALL for item in question.assumptions):
        return strong_ones(by_section(ranked))[:MOST_CASES]
    return quoted_of(ranked, wanted)


def uncovered_words(quoted: Sequence[ScoredSentence], wanted: SubQuestion) -> list[str]:
    """Return the telling words of a question that none of the quoted sections covers."""
    return [
        term.word
        for term in wanted.terms
        if is_telling(term) and all(not _covers(one, term) for one in quoted)
    ]


def _covers(one: ScoredSentence, term: Term) -> bool:
    return cover([term], layers(one.passage, one.unit)).share > 0


def quoted_of(ranked: Sequence[ScoredSentence], wanted: SubQuestion) -> list[ScoredSentence]:
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


def _is_other_row(one: ScoredSentence, other: ScoredSentence) -> bool:
    """Say whether a row, or the answer to a printed question, answers less well than another."""
    are_rows = one.unit.is_row and other.unit.is_row and one.unit.lead_in == other.unit.lead_in
    leads = one.unit.lead_in, other.unit.lead_in
    are_answers = all(lead is not None and lead.asks for lead in leads) and leads[0] != leads[1]
    return (are_rows or are_answers) and one.strength < other.strength - NEAR_ROW


def _holds_alike(one: ScoredSentence, best: ScoredSentence, wanted: SubQuestion) -> bool:
    """Say whether a sentence holds for whom the best one does, or for the asker."""
    mine, theirs = _holds_for(one), _holds_for(best)
    return all(
        mine.of(slot) <= theirs.of(slot) | wanted.facets.of(slot)
        for slot in (JURISDICTION, EMPLOYMENT)
    )


def _holds_for(one: ScoredSentence) -> Facets:
    said = facets_of(one.unit.text)
    return Facets(
        jurisdictions=said.jurisdictions | one.passage.facets.jurisdictions,
        employments=said.employments | one.passage.facets.employments,
    )


def expand(one: ScoredSentence, wanted: SubQuestion) -> list[QuotableUnit]:
    """Return the units of a section to quote around one of its sentences.

    A list's items, conditions that follow, all of a short section.
    """
    units, best = [unit for unit in one.passage.units if not unit.is_part], one.unit
    if best.lead_in is not None and best.lead_in.asks:
        return _bounded(_items(units, best.lead_in), MAX_UNITS, keep=best)
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


def _leant_on(units: Sequence[QuotableUnit], best: QuotableUnit) -> QuotableUnit | None:
    """Return the sentence without which the best one says nothing; None if it stands alone."""
    place = units.index(best)
    if not place or best.is_item or best.is_row or _LEANS.match(best.text) is None:
        return None
    before = units[place - 1]
    return None if before.is_item or before.is_row or before.asks else before


def _is_short(units: Sequence[QuotableUnit]) -> bool:
    return sum(len(unit.text) for unit in units) <= WHOLE and not any(
        unit.is_row or unit.is_item for unit in units
    )


def _belongs(unit: QuotableUnit, best: QuotableUnit, wanted: SubQuestion) -> bool:
    """Say whether a sentence of a short section speaks of what the best one speaks of."""
    related = bool(unit.words & best.words) or _GOES_ON.match(unit.text) is not None
    return related and not unit.asks and concerns(facets_of(unit.text), wanted.facets)


def _items(units: Sequence[QuotableUnit], lead_in: QuotableUnit) -> list[QuotableUnit]:
    return [
        unit for unit in units if unit.lead_in is not None and unit.lead_in.span == lead_in.span
    ]


def _bounded(
    units: list[QuotableUnit], most: int, *, keep: QuotableUnit | None = None
) -> list[QuotableUnit]:
    kept: list[QuotableUnit] = []
    size = 0
    for unit in units:
        if unit is not keep and (len(kept) >= most or size + len(unit.text) > MAX_CHARACTERS):
            continue
        kept.append(unit)
        size += len(unit.text)
    return kept

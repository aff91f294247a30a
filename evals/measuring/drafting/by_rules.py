"""Draft questions from the ontology and the sentences behind it, without a model.

Which rules are asked about, and in which of several wordings, follows from the seed. The reader and
the search that will answer take no part in the choice: a set chosen by them would flatter them.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random

from core.domain.ontology import NORMS, Entity, EntityType, Snapshot
from core.domain.policy import PolicyVersion
from core.domain.question_draft import (
    ANSWERED,
    MEDIUM,
    REFUSED,
    REMOVED,
    AnswerPassage,
    QuestionDraft,
)
from core.language.content_words import content_words
from core.language.question_form import question_form
from core.language.spans import Span, VersionId
from evals.measuring.drafting.clauses import clause_of, names_in
from evals.measuring.drafting.difficulty import difficulty_of
from evals.measuring.drafting.near_topics import unanswered_topics
from evals.measuring.drafting.wordings import (
    RuleQuestion,
    definition_wording,
    is_definition,
    joined,
    wordings_of,
)
from evals.measuring.questions import DEFINITION, DRAFTED_KINDS, TWO_POLICIES, UNANSWERABLE

BY_RULES = "rules/1"
"""Who words a question here."""
ASKED = NORMS | {EntityType.THRESHOLD, EntityType.DEADLINE, EntityType.DEFINITION}
_JOINED_WORDS = 15
"""Of each of two questions that are asked at once."""
_SHARED = 2
"""Telling words that both have, at least."""
_RARE = 0.1
"""Share of all questions that a word of both may stand in: what is everywhere is no topic."""
_FEWEST = 10
"""Questions, of any number, in which a word may stand all the same."""
_NO_TOPIC = content_words(
    "hold use keep give name issue check long soon quickly often day time year month week hour "
    "written writing advance group company policy make take carry work many amount case cases "
    "business new first every person people receive end before after"
)
"""Words that two rules share without being about the same."""
_TERM = re.compile('"[^"]+"')
_EACH = 6
"""One question of so many is also asked without its evidence, and one about nothing is added."""
_FEW = 3
"""Questions about nothing, of any corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What is drafted from."""

    snapshot: Snapshot
    """The ontology, with the sentences behind it."""
    versions: Mapping[VersionId, PolicyVersion]
    """The versions in force."""
    said: Collection[str]
    """Stems of all words of the policies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which questions are wanted."""

    by: str = "rules"
    """Who words them: `rules` or `claude`."""
    kinds: frozenset[str] = frozenset(DRAFTED_KINDS)
    """Of these kinds."""
    policies: frozenset[str] = frozenset()
    """Of policies with these keys; empty: all."""
    limit: int = 60
    """So many at most."""
    seed: int = 1
    """The same seed gives the same questions."""
    budget_usd: float | None = None
    """What Claude may cost at most; None: as much as it takes."""
    dry_run: bool = False
    """True: store nothing and ask nobody."""


def drafts_by_rules(corpus: Corpus, wanted: Wanted) -> list[QuestionDraft]:
    """Return what can be asked, in an order in which kinds and policies take turns.

    A question that two passages answer alike is left out: what it asks about is not clear.
    """
    single = _unambiguous(_of_sentences(corpus, wanted))
    drafts = [
        *single,
        *_of_two(single, wanted),
        *_without_evidence(single, wanted),
        *_shuffled(list(_of_nothing(corpus, wanted)), wanted)[: _FEW + len(single) // _EACH],
    ]
    return _in_turns([one for one in drafts if one.kind in wanted.kinds], wanted)


def passage_of(corpus: Corpus, span: Span) -> AnswerPassage | None:
    """Return a stored sentence with where it stands; None of a version that is not in force."""
    version, place = corpus.versions.get(span.version_id), corpus.snapshot.places.get(span)
    quote = corpus.snapshot.quotes.get(span)
    if version is None or place is None or not quote:
        return None
    return AnswerPassage(
        span=span,
        quote=quote,
        policy=place.policy_key,
        title=place.policy_title,
        version=place.version_label or "",
        section=place.number or place.title,
        heading=place.title,
        jurisdiction=place.jurisdiction,
        audience=version.metadata.audience,
    )


def _of_sentences(corpus: Corpus, wanted: Wanted) -> Iterator[QuestionDraft]:
    """Yield a question of each sentence that states a rule or a definition plainly."""
    names = names_in(corpus.snapshot.quotes.values())
    for span, entities in _stated(corpus.snapshot).items():
        passage = passage_of(corpus, span)
        if passage is None or (wanted.policies and passage.policy not in wanted.policies):
            continue
        random = Random(f"{wanted.seed} {passage.policy} {passage.quote}")  # a choice
        wording = _wording(entities, passage, names, random)
        if wording is not None:
            yield _draft(wording, [passage])


def _stated(snapshot: Snapshot) -> Mapping[Span, Sequence[Entity]]:
    """Return the entities that a sentence of its own states; items and rows need their heads."""
    found: dict[Span, list[Entity]] = defaultdict(list)
    for entity in snapshot.entities:
        if entity.type in ASKED and len(entity.spans) == 1:
            span = entity.spans[0]
            if span not in snapshot.lead_ins or entity.type is EntityType.DEFINITION:
                found[span].append(entity)
    return dict(sorted(found.items()))


def _wording(
    entities: Sequence[Entity], passage: AnswerPassage, names: Collection[str], random: Random
) -> RuleQuestion | None:
    for entity in entities:
        if entity.type is EntityType.DEFINITION:
            term = entity.attributes.get("term", entity.name)
            if is_definition(passage.quote, term, entity.attributes.get("meaning", "")):
                return definition_wording(term, random, names)
    if all(entity.type is EntityType.DEFINITION for entity in entities):
        return None
    clause = clause_of(passage.quote, names)
    return next(wordings_of(clause, random), None) if clause else None


def _draft(wording: RuleQuestion, passages: Sequence[AnswerPassage]) -> QuestionDraft:
    return QuestionDraft(
        question=wording.question,
        kind=wording.kind,
        difficulty=difficulty_of(
            wording.question,
            [one.quote for one in passages],
            is_conditional=wording.is_conditional,
            compares=wording.compares,
        ),
        expected=ANSWERED,
        passages=tuple(passages),
        made_by=BY_RULES,
    )


def _unambiguous(drafts: Iterator[QuestionDraft]) -> list[QuestionDraft]:
    """Leave out questions that several passages answer; a definition then names its policy."""
    found = list(drafts)
    asked: dict[str, list[QuestionDraft]] = defaultdict(list)
    for one in found:
        term = _TERM.search(one.question) if one.kind == DEFINITION else None
        asked[term[0].casefold() if term else question_form(one.question)].append(one)
    kept: list[QuestionDraft] = []
    for same in asked.values():
        if len(same) == 1:
            kept += same
        elif same[0].kind == DEFINITION and len({one.passages[0].title for one in same}) == len(
            same
        ):
            kept += [_named(one) for one in same]
    return kept


def _named(one: QuestionDraft) -> QuestionDraft:
    """Say in which policy a term is meant."""
    return replace(one, question=f"{one.question.rstrip('?')} in the {one.passages[0].title}?")


def _of_two(drafts: Sequence[QuestionDraft], wanted: Wanted) -> Iterator[QuestionDraft]:
    """Yield pairs of questions on one topic that two policies answer."""
    short = [
        one
        for one in _shuffled(drafts, wanted)
        if len(one.question.split()) <= _JOINED_WORDS
        and one.kind != DEFINITION
        and not one.question.startswith(("If ", "When ", "Before ", "After ", "Once ", "Where "))
    ]
    standing: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(short):
        for word in content_words(one.question) - _NO_TOPIC:
            standing[word].append(place)
    shared: Counter[tuple[int, int]] = Counter()
    for places in standing.values():
        if len(places) <= max(_FEWEST, round(_RARE * len(short))):
            shared.update(combinations(places, 2))
    used: set[int] = set()
    for (first, second), count in sorted(shared.items(), key=lambda each: (-each[1], each[0])):
        is_free = not used & {first, second}
        if count >= _SHARED and is_free and _may_join(short[first], short[second]):
            used |= {first, second}
            yield _both(short[first], short[second])


def _may_join(first: QuestionDraft, second: QuestionDraft) -> bool:
    """Say whether somebody could ask both: of two policies that hold for the same people."""
    one, other = first.passages[0], second.passages[0]
    places = {one.jurisdiction, other.jurisdiction} - {None}
    return one.policy != other.policy and len(places) < 2 and one.audience == other.audience


def _both(first: QuestionDraft, second: QuestionDraft) -> QuestionDraft:
    question = joined(first.question, second.question)
    wording = RuleQuestion(kind=TWO_POLICIES, question=question, is_conditional=False)
    return _draft(wording, [*first.passages, *second.passages])


def _without_evidence(drafts: Sequence[QuestionDraft], wanted: Wanted) -> Iterator[QuestionDraft]:
    """Yield some questions again, to be asked without the sections that answer them."""
    chosen = _shuffled(drafts, wanted)[: len(drafts) // _EACH]
    for one in chosen:
        yield replace(one, kind=REMOVED, expected=REFUSED)


def _of_nothing(corpus: Corpus, wanted: Wanted) -> Iterator[QuestionDraft]:
    """Yield questions about topics near those of the corpus, of which it says nothing."""
    if wanted.policies:
        return
    for question in unanswered_topics(corpus.said):
        yield QuestionDraft(
            question=question,
            kind=UNANSWERABLE,
            difficulty=MEDIUM,
            expected=REFUSED,
            passages=(),
            made_by=BY_RULES,
        )


def _shuffled(drafts: Sequence[QuestionDraft], wanted: Wanted) -> list[QuestionDraft]:
    """Return drafts in an order that follows from the seed and from nothing else."""
    mark = str(wanted.seed).encode()
    return sorted(drafts, key=lambda one: hashlib.sha256(mark + one.key).digest())


def _in_turns(drafts: Sequence[QuestionDraft], wanted: Wanted) -> list[QuestionDraft]:
    """Let kinds take turns, and within a kind policies: the first N are of all kinds."""
    kinds: dict[str, dict[str, list[QuestionDraft]]] = {kind: {} for kind in DRAFTED_KINDS}
    for one in _shuffled(drafts, wanted):
        policy = one.passages[0].policy if one.passages else ""
        kinds[one.kind].setdefault(policy, []).append(one)
    lines = [_taken_in_turns(list(of.values())) for of in kinds.values() if of]
    return _taken_in_turns(lines)


def _taken_in_turns(lines: Sequence[Sequence[QuestionDraft]]) -> list[QuestionDraft]:
    longest = max(map(len, lines), default=0)
    return [line[turn] for turn in range(longest) for line in lines if turn < len(line)]

"""Index the facts of a version by their words, so that a question reads only related ones.

- `fact_words` has one row for each place that states a fact which answers by itself; `entity_words`
  one for each entity that a version names; `word_counts` has the number of a version's sections and
  entities that use a stem; `fact_indexes` has one row for each indexed version.
- `lead_ins` has one row for each list item and table row, with its lead-ins.
- Prefixes and suffixes distinguish kinds of words in one array, so that one index serves all.
- All of it is derived from stored data, so it can be built again at any time.
"""

import asyncio
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.json_rows import insert_rows
from core.adapters.postgres.engine.scope import page_of, section_ref
from core.adapters.postgres.engine.tables import entity_words, fact_words, lead_ins, word_counts
from core.adapters.postgres.ontology.ontology_parts import entities_of, span_of
from core.domain.ontology import Entity, EntityType, SectionRef
from core.language.lead_ins import (
    IntroducedUnit,
    LeadIn,
    lead_in_of,
    may_have_lists,
    section_units,
)
from core.language.spans import Span, VersionId
from core.ontology.fact_words import (
    GENERATION,
    NAME_WEIGHT,
    PLACE_WEIGHT,
    STATED,
    TEXT_WEIGHT,
    FactWords,
    beginning,
    is_of_one_policy,
    names_of,
    pairs_of,
    read_with,
    section_words,
    stated_at,
    stems_of,
)
from core.ontology.fact_words import (
    entity_words as weighted_words,
)
from core.ontology.graphs.conflicts import gives_way

_HEADING, _TITLE, _BEGINNING, _NAME = "/", "//", "*", "="
_CLASSES = {NAME_WEIGHT: "", TEXT_WEIGHT: _HEADING, PLACE_WEIGHT: _TITLE}

_VERSION = text("""
SELECT v.id, p.key, v.title, v.label, v.jurisdiction, v.page_starts, v.text
  FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id
 WHERE v.id = :version""")

_SECTIONS = text("""
SELECT id, eid, number, title AS section_title, page AS section_page, path, char_start, body_start,
       char_end
  FROM citebound.sections WHERE version_id = :version ORDER BY ordinal""")

_SAID = text("""
SELECT pr.id AS provenance_id, pr.entity_id, pr.version_id, pr.section_id, pr.char_start,
       pr.char_end, e.id, e.key, e.type, e.name, e.aliases, e.description, e.attributes
  FROM citebound.provenance pr LEFT JOIN citebound.entities e ON e.id = pr.entity_id
 WHERE pr.version_id = :version ORDER BY e.id, pr.char_start""")

_DONE = text("""
INSERT INTO citebound.fact_indexes
  (version_id, generation, facts, own_facts, sections, gives_way)
VALUES (:version, :generation, :facts, :own_facts, :sections, :gives_way)""")

_MISSING = text("""
SELECT v.id FROM citebound.policy_versions v
  LEFT JOIN citebound.fact_indexes i ON i.version_id = v.id
 WHERE i.generation IS DISTINCT FROM :generation ORDER BY v.edition_until NULLS FIRST, v.id""")


async def index_facts(connection: AsyncConnection, version_id: int) -> None:
    """Index a version whose facts are stored, in the same transaction."""
    one = {"version": version_id}
    version = (await connection.execute(_VERSION, one)).mappings().one()
    sections = {row["id"]: row for row in (await connection.execute(_SECTIONS, one)).mappings()}
    rows = (await connection.execute(_SAID, one)).mappings().all()
    # Seconds of work for a document of a thousand pages, during which questions are answered.
    await store_index(connection, await asyncio.to_thread(index_of, version, sections, rows))


async def store_index(connection: AsyncConnection, index: "FactIndex") -> None:
    """Store the index of a version, in the transaction that stores its facts."""
    await insert_rows(connection, lead_ins, index.lead_ins)
    await insert_rows(connection, fact_words, index.facts)
    await insert_rows(connection, entity_words, index.entities)
    await insert_rows(connection, word_counts, index.counts)
    await connection.execute(_DONE, index.done)


async def index_missing(engine: AsyncEngine) -> int:
    """Index the versions that an earlier release published; return how many there were.

    Each is committed separately; processes that begin at the same time wait for each other.
    """
    async with engine.connect() as connection:
        missing = list(await connection.scalars(_MISSING, {"generation": GENERATION}))
    done = 0
    for version_id in missing:
        async with engine.begin() as connection:
            # Takes a while, whatever timeouts a serving process sets for its statements.
            await connection.execute(text("SET LOCAL lock_timeout = 0"))
            await connection.execute(text("SET LOCAL statement_timeout = 0"))
            done += await _index_again(connection, version_id)
    return done


async def _index_again(connection: AsyncConnection, version_id: int) -> bool:
    """Index a version unless another process has just done so."""
    one = {"version": version_id}
    locked = text("SELECT id FROM citebound.policy_versions WHERE id = :version FOR NO KEY UPDATE")
    known = text("SELECT generation FROM citebound.fact_indexes WHERE version_id = :version")
    if await connection.scalar(locked, one) is None:
        return False
    if await connection.scalar(known, one) == GENERATION:
        return False
    for table in ("lead_ins", "fact_words", "entity_words", "word_counts", "fact_indexes"):
        await connection.execute(
            text(f"DELETE FROM citebound.{table} WHERE version_id = :version"),  # noqa: S608
            one,
        )
    await index_facts(connection, version_id)
    return True


def asked_words(words: Iterable[str], beginnings: Iterable[str]) -> list[str]:
    """Return the words of a question as they are stored in `fact_words`."""
    marked = [f"{mark}{word}" for word in words for mark in ("", _HEADING, _TITLE)]
    return sorted({*marked, *(f"{start}{_BEGINNING}" for start in beginnings if start)})


def asked_names(names: Iterable[str]) -> list[str]:
    """Return names as they are stored in `entity_words`."""
    return sorted(f"{_NAME}{name}" for name in names)


def asked_entity_words(word: str) -> Mapping[str, float]:
    """Return the forms of a word that are stored in `entity_words`, with the weight of each."""
    return {f"{mark}{word}": weight for weight, mark in _CLASSES.items()}


def read_fact_words(stored: Sequence[str]) -> FactWords:
    """Return the words of a row of `fact_words`."""
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for word in stored:
        mark = _TITLE if word.startswith(_TITLE) else _HEADING if word.startswith(_HEADING) else ""
        if not word.endswith(_BEGINNING):
            kinds[mark].add(word.removeprefix(mark))
    return FactWords(
        sentence=frozenset(kinds[""]),
        heading=frozenset(kinds[_HEADING]),
        title=frozenset(kinds[_TITLE]),
    )


@dataclass(frozen=True, slots=True)
class FactIndex:
    """The rows of one version."""

    lead_ins: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    entities: list[dict[str, Any]]
    counts: list[dict[str, Any]]
    done: dict[str, Any]


def index_of(
    version: Mapping[Any, Any],
    sections: Mapping[int, Mapping[Any, Any]],
    said: Sequence[Mapping[Any, Any]],
) -> FactIndex:
    """Return the index of what a version states.

    Args:
        version: See `_VERSION`.
        sections: By their ids, in text order; see `_SECTIONS`.
        said: Its places of entities by the entity's id, then by offset, and those of relations;
            see `_SAID`.
    """
    introduced = _introduced(version["text"], list(sections.values()))
    found = _Said(version, sections, said, _Introductions(version, introduced))
    return FactIndex(
        lead_ins=[_lead_in_row(version["id"], unit) for unit in introduced],
        facts=found.facts(),
        entities=found.entities(),
        counts=found.counts(),
        done={
            "version": version["id"],
            "generation": GENERATION,
            "facts": len(found.named),
            "own_facts": sum(map(is_of_one_policy, found.named)),
            "sections": len(found.sections),
            "gives_way": found.gives_way(),
        },
    )


def _beginnings(words: Iterable[str]) -> set[str]:
    return {f"{start}{_BEGINNING}" for word in words if (start := beginning(word))}


class _Introductions:
    """The lead-ins of each list item and table row of one version."""

    def __init__(self, version: Mapping[Any, Any], introduced: Sequence[IntroducedUnit]) -> None:
        self._version = version
        self._introduced = introduced
        self._starts = [unit.span.char_start for unit in introduced]

    def of(self, span: Span) -> LeadIn | None:
        """Return the lead-in of the item or row in which a span begins."""
        place = bisect_right(self._starts, span.char_start) - 1
        if place < 0 or self._introduced[place].span.char_end <= span.char_start:
            return None
        text: str = self._version["text"]
        chain = self._introduced[place].lead_ins
        return lead_in_of(
            VersionId(self._version["id"]),
            ((one.char_start, one.char_end, one.of(text)) for one in chain),
        )


def _introduced(text: str, sections: Sequence[Mapping[Any, Any]]) -> list[IntroducedUnit]:
    """Return the units that have a lead-in, in text order."""
    return [
        unit
        for section in sections
        if may_have_lists(text[section["body_start"] : section["char_end"]])
        for unit in section_units(
            text,
            char_start=section["char_start"],
            body_start=section["body_start"],
            char_end=section["char_end"],
        )
        if unit.lead_ins
    ]


def _lead_in_row(version_id: int, unit: IntroducedUnit) -> dict[str, Any]:
    return {
        "version_id": version_id,
        "char_start": unit.span.char_start,
        "char_end": unit.span.char_end,
        "starts": [one.char_start for one in unit.lead_ins],
        "ends": [one.char_end for one in unit.lead_ins],
    }


class _Said:
    """The facts of one version, and their rows in the index."""

    def __init__(
        self,
        version: Mapping[Any, Any],
        sections: Mapping[int, Mapping[Any, Any]],
        rows: Sequence[Mapping[Any, Any]],
        introductions: "_Introductions",
    ) -> None:
        self._version = version
        self._lead_ins: dict[Span, LeadIn] = {}
        self._places: dict[Span, SectionRef] = {}
        self._quotes: dict[Span, str] = {}
        self._stems: dict[Span, frozenset[str]] = {}
        self._marks: dict[Span, list[str]] = {}
        self._headed: dict[SectionRef, frozenset[str]] = {}
        self._rows: list[tuple[Mapping[Any, Any], Span]] = []
        self.sections: dict[int, set[str]] = {}
        places: dict[tuple[int, int | None], SectionRef] = {}
        for row in rows:
            span = span_of(row)
            if row["entity_id"] is not None:
                self._rows.append((row, span))
            if span in self._places:  # several facts are read from one sentence
                continue
            on = row["section_id"], page_of(version["page_starts"], span.char_start)
            if on not in places:
                # The title is that of the version.
                place = {**sections[row["section_id"]], **version, "char_start": span.char_start}
                places[on] = section_ref(place)
            quote = version["text"][span.char_start : span.char_end]
            self._places[span], self._quotes[span] = places[on], quote
            lead_in = introductions.of(span)
            if lead_in is not None:
                self._lead_ins[span] = lead_in
            self._stems[span] = stems_of(read_with(lead_in, quote))
            words = self.sections.get(row["section_id"])
            if words is None:
                words = self.sections[row["section_id"]] = set(section_words(places[on]))
            words |= self._stems[span]
        self.named = {row["key"]: row["id"] for row, _ in self._rows}
        self._entities = entities_of([row for row, _ in self._rows])
        self._names = {entity.key: names_of(entity) for entity in self._entities}
        self._weights = {
            entity.key: weighted_words(entity, [self._places[span] for span in entity.spans])
            for entity in self._entities
        }

    def facts(self) -> list[dict[str, Any]]:
        stated = {
            (entity.key, span)
            for entity in self._entities
            if entity.type in STATED
            for span in stated_at(entity.spans, self._quotes, self._lead_ins)
        }
        found: list[dict[str, Any]] = []
        for row, span in self._rows:
            if (row["key"], span) not in stated:
                continue
            if span not in self._marks:
                self._marks[span] = sorted(self._words_at(span))
            found.append(
                {
                    "provenance_id": row["provenance_id"],
                    "version_id": self._version["id"],
                    "entity_id": row["entity_id"],
                    "words": self._marks[span],
                }
            )
        return found

    def _words_at(self, span: Span) -> frozenset[str]:
        """Return the words of a place as they are stored in `fact_words`."""
        place, said = self._places[span], self._stems[span]
        headed = self._headed.get(place)
        if headed is None:
            read = FactWords.at(place, sentence=frozenset())
            headed = self._headed[place] = frozenset(
                chain(
                    (f"{_HEADING}{word}" for word in read.heading),
                    (f"{_TITLE}{word}" for word in read.title),
                    _beginnings(read.heading | read.title),
                )
            )
        return headed.union(said, _beginnings(said))

    def entities(self) -> list[dict[str, Any]]:
        return [
            {
                "version_id": self._version["id"],
                "entity_id": self.named[entity.key],
                "key": entity.key,
                "type": entity.type.value,
                "names": sorted(self._names[entity.key]),
                "words": sorted(self._marked(entity)),
            }
            for entity in self._entities
        ]

    def _marked(self, entity: Entity) -> set[str]:
        weights = self._weights[entity.key]
        marked = {f"{_CLASSES[weight]}{word}" for word, weight in weights.items()}
        marked |= {f"{_NAME}{name}" for name in self._names[entity.key]}
        if entity.type is EntityType.DEFINITION:
            marked |= pairs_of(" ".join(self._quotes[span] for span in entity.spans))
        return marked

    def counts(self) -> list[dict[str, Any]]:
        sections = Counter(chain.from_iterable(self.sections.values()))
        own = [entity.key for entity in self._entities if is_of_one_policy(entity.key)]
        entities = Counter(chain.from_iterable(self._weights[key] for key in own))
        return [
            {
                "word": word,
                "version_id": self._version["id"],
                "sections": sections[word],
                "entities": entities[word],
            }
            for word in sorted({*sections, *entities})
        ]

    def gives_way(self) -> bool:
        return any(gives_way(self._quotes[span], place) for span, place in self._places.items())

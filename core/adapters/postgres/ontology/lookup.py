"""The ontology as its tools read it: by name, words, neighbours, paths and sections."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from sqlalchemy import RowMapping

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.ontology import lookup_statements as statements
from core.adapters.postgres.ontology.fact_index import asked_entity_words, asked_names
from core.adapters.postgres.ontology.ontology_parts import Edges, PartReader
from core.domain.ontology import (
    NAMES,
    POLICIES,
    EntityKey,
    EntityList,
    EntityMatches,
    EntityType,
    Neighbourhood,
    Outline,
    Paths,
    Relation,
    RelationType,
    Snapshot,
    Stated,
)
from core.ontology.fact_words import normal_name, stems_of
from core.ontology.graphs.ranking import best_of, chains, named_section, rarities, titles_match
from core.ports.knowledge import Direction

CANDIDATES = 3
"""Candidates ranked again for each entity wanted: SQL ranks a role that several policies describe
a little too high."""
SHOWN_SPANS = 5
"""Spans of an entity that are read: more than a tool shows, or weighs the headings of."""
EDGES_A_STEP = 2_000
"""Relations followed at most in one step towards the other end of a chain."""


@database_store
class PostgresLookup:
    """See `core.ports.Lookup`."""

    def __init__(self, reader: PartReader) -> None:
        self._reader = reader

    async def outline(self) -> Outline:
        """See `Lookup.outline`."""
        policies = await self._reader.rows(statements.POLICIES, most=POLICIES)
        counts = await self._reader.rows(statements.COUNTS)
        types = (EntityType.DEFINITION, EntityType.ROLE, EntityType.JURISDICTION)
        named = await self._reader.rows(
            statements.NAMES, types=[type_.value for type_ in types], most=NAMES
        )
        return Outline(
            edition=self._reader.edition,
            policies=tuple((row["title"], row["country"]) for row in policies),
            policies_in_all=policies[0]["count"] if policies else 0,
            counts={EntityType(row["type"]): row["count"] for row in counts},
            names={
                type_: tuple(row["name"] for row in named if row["type"] == type_.value)
                for type_ in types
            },
        )

    async def relation_counts(self) -> Mapping[RelationType, int]:
        """See `Lookup.relation_counts`."""
        rows = await self._reader.rows(statements.RELATION_COUNTS)
        return {RelationType(row["type"]): row["count"] for row in rows}

    async def entity(self, key: str, /) -> Snapshot:
        """See `Lookup.entity`."""
        return await self._part([key])

    async def listed(
        self, type_: EntityType | None, /, *, name: str = "", is_part: bool = False, limit: int
    ) -> EntityList:
        """See `Lookup.listed`."""
        wanted = normal_name(name)
        given = {"type": type_.value if type_ else None, "most": limit}
        if not name:
            rows = await self._reader.rows(statements.OF_TYPE, **given)
        elif not wanted:
            rows = ()
        elif is_part:
            rows = await self._reader.rows(statements.PARTLY_NAMED, **given, name=wanted)
        else:
            rows = await self._reader.rows(statements.NAMED, **given, names=asked_names([wanted]))
        part = await self._part([row["key"] for row in rows])
        return EntityList(part=part, count=rows[0]["count"] if rows else 0)

    async def search(
        self, query: str, types: Collection[EntityType] = (), /, *, limit: int
    ) -> EntityMatches:
        """See `Lookup.search`."""
        wanted = sorted(stems_of(query))
        (counted,) = await self._reader.rows(statements.FREQUENCY, words=wanted)
        rarity = rarities(wanted, counted["entities"], among=counted["among"])
        asked = [
            {
                "word": word,
                "forms": list(forms),
                "weights": [weight * rarity[word] for weight in forms.values()],
            }
            for word in wanted
            for forms in [asked_entity_words(word)]
        ]
        rows = await self._reader.rows(
            statements.SEARCH,
            asked=json.dumps(asked),
            any_type=not types,
            types=[type_.value for type_ in types],
            most=CANDIDATES * limit,
        )
        return best_of(await self._part([row["key"] for row in rows]), rarity, limit=limit)

    async def neighbours(
        self,
        key: EntityKey,
        /,
        *,
        direction: Direction = "both",
        type_: RelationType | None = None,
        limit: int,
    ) -> Neighbourhood:
        """See `Lookup.neighbours`."""
        rows = await self._edges([key], direction=direction, type_=type_, limit=4 * limit)
        ends = list(dict.fromkeys(row["other"] for row in rows))[:limit]
        shown = rows[:limit]
        part = await self._part(
            dict.fromkeys([key, *ends, *(row["other"] for row in shown)]),
            edges=_edges_of(shown),
        )
        return Neighbourhood(
            part=replace(part, relations=_in_order(part.relations, map(_ends_of, shown))),
            entities=rows[0]["ends"] if rows else 0,
            relations=rows[0]["relations"] if rows else 0,
        )

    async def paths(self, source: EntityKey, target: EntityKey, /, *, max_hops: int) -> Paths:
        """See `Lookup.paths`.

        From both ends towards the middle: together the steps see every relation on a chain.
        """
        adjacent: defaultdict[str, set[str]] = defaultdict(set)
        joining: dict[tuple[str, str], RowMapping] = {}
        for start, hops in ((source, (max_hops + 1) // 2), (target, max_hops // 2)):
            seen: set[str] = set()
            reached = {str(start)}
            for _ in range(hops):
                rows = await self._edges(sorted(reached), limit=EDGES_A_STEP)
                seen |= reached
                for row in rows:
                    first, _, second = _ends_of(row)
                    adjacent[first].add(second)
                    adjacent[second].add(first)
                    known = joining.setdefault((first, second), row)
                    if _age(row) < _age(known):
                        joining[first, second] = row
                reached = {row["other"] for row in rows} - seen
        found = chains(adjacent, source, target, max_hops=max_hops)
        steps = [
            [joining.get(ends) or joining[ends[1], ends[0]] for ends in pairwise(path)]
            for path in found
        ]
        part = await self._part(
            dict.fromkeys(key for path in found for key in path),
            edges=_edges_of([row for path in steps for row in path]),
        )
        chained = tuple(tuple(_ends_of(row) for row in path) for path in steps)
        ordered = _in_order(part.relations, (ends for path in chained for ends in path))
        return Paths(part=replace(part, relations=ordered), chains=chained)

    async def policies_named(self, name: str, /) -> tuple[str, ...]:
        """See `Lookup.policies_named`."""
        rows = await self._reader.rows(statements.POLICY, key=name.removeprefix("policy:"))
        if rows:
            return (rows[0]["key"],)
        named = await self.listed(EntityType.POLICY, name=name, limit=POLICIES)
        if named.part.entities:
            return tuple(sorted(one.key.removeprefix("policy:") for one in named.part.entities))
        asked = sorted(stems_of(name) - stems_of("policy"))
        rows = await self._reader.rows(statements.TITLED, words=asked) if asked else ()
        return tuple(row["key"] for row in rows if titles_match(name, row["title"]))

    async def stated(
        self, policies: Collection[str], section: str, types: Collection[EntityType], /, limit: int
    ) -> Stated:
        """See `Lookup.stated`."""
        given = {
            "policies": list(policies),
            "section": named_section(section),
            "types": [type_.value for type_ in types],
        }
        rows = await self._reader.rows(statements.STATED_FIRST, **given, most=limit)
        counts = await self._reader.rows(statements.STATED_COUNTS, **given)
        return Stated(
            part=await self._part([row["key"] for row in rows]),
            counts={EntityType(row["type"]): row["count"] for row in counts},
        )

    async def section_numbers(self, policies: Collection[str], /, *, limit: int) -> tuple[str, ...]:
        """See `Lookup.section_numbers`."""
        rows = await self._reader.rows(statements.NUMBERS, policies=list(policies), most=limit)
        return tuple(row["number"] for row in rows)

    async def _part(self, keys: Iterable[str], *, edges: Edges | None = None) -> Snapshot:
        return await self._reader.part(
            list(keys), edges=edges, in_order=True, most_spans=SHOWN_SPANS
        )

    async def _edges(
        self,
        keys: Sequence[str],
        *,
        direction: Direction = "both",
        type_: RelationType | None = None,
        limit: int,
    ) -> Sequence[RowMapping]:
        given = {"keys": list(keys), "type": type_.value if type_ else None, "most": limit}
        return await self._reader.rows(
            statements.EDGES_AT, **given, **{"out": direction != "in", "in": direction != "out"}
        )


_Ends = tuple[EntityKey, RelationType, EntityKey]


def _ends_of(row: RowMapping) -> _Ends:
    ends = (row["key"], row["other"]) if row["is_outgoing"] else (row["other"], row["key"])
    return EntityKey(ends[0]), RelationType(row["type"]), EntityKey(ends[1])


def _age(row: RowMapping) -> tuple[bool, int]:
    return row["is_reference"], row["first"]


def _edges_of(rows: Sequence[RowMapping]) -> Edges:
    return Edges(
        relations=[number for row in rows if not row["is_reference"] for number in row["ids"]],
        references=[number for row in rows if row["is_reference"] for number in row["ids"]],
    )


def _in_order(relations: Sequence[Relation], order: Iterable[_Ends]) -> tuple[Relation, ...]:
    """Return relations in an order of their ends, each once."""
    by_ends = {(one.source, one.type, one.target): one for one in relations}
    return tuple(by_ends[ends] for ends in dict.fromkeys(order) if ends in by_ends)

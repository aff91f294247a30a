"""The ontology of one edition within a scope, read piece by piece.

What a question needs is read when it is needed: no process holds all of it. Parts are snapshots of
a few entities. All reads are of one edition, and the same read gives the same result.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from core.domain.ontology import (
    EntityKey,
    EntityList,
    EntityMatches,
    EntityType,
    Extent,
    Neighbourhood,
    Outline,
    Paths,
    RelationType,
    SectionPassage,
    Snapshot,
    SoughtWord,
    Stated,
    StatedFact,
)
from core.domain.question import Scope
from core.language.spans import Span

Direction: TypeAlias = Literal["out", "in", "both"]
"""Which ends of relations to follow."""


class Lookup(Protocol):
    """What the ontology's tools read: entities by name, words, neighbours and section."""

    async def outline(self) -> Outline:
        """Return an overview."""
        ...

    async def relation_counts(self) -> Mapping[RelationType, int]:
        """Return the number of relations of each type present."""
        ...

    async def entity(self, key: str, /) -> Snapshot:
        """Return an entity, with the first of its spans; an empty snapshot if there is none."""
        ...

    async def listed(
        self, type_: EntityType | None, /, *, name: str = "", is_part: bool = False, limit: int
    ) -> EntityList:
        """Return the entities of a type, a name, or both.

        Args:
            type_: None: of any type.
            name: A name or alias, ignoring case, articles and plurals. Empty: any.
            is_part: The name may be a part of theirs; the shortest names come first.
            limit: Most entities to return.
        """
        ...

    async def search(
        self, query: str, types: Collection[EntityType] = (), /, *, limit: int
    ) -> EntityMatches:
        """Return the entities that share most of the query's content words, best first."""
        ...

    async def neighbours(
        self,
        key: EntityKey,
        /,
        *,
        direction: Direction = "both",
        type_: RelationType | None = None,
        limit: int,
    ) -> Neighbourhood:
        """Return the neighbours of an entity: at most `limit` entities and relations."""
        ...

    async def paths(self, source: EntityKey, target: EntityKey, /, *, max_hops: int) -> Paths:
        """Return a few of the shortest simple paths between two entities, ignoring directions.

        Not all relations of an entity with very many of them are followed.
        """
        ...

    async def policies_named(self, name: str, /) -> tuple[str, ...]:
        """Return the keys of the policies with this key, name or words of a title, in order."""
        ...

    async def stated(
        self, policies: Collection[str], section: str, types: Collection[EntityType], /, limit: int
    ) -> Stated:
        """Return the facts of policies, or of one section, named by number or heading."""
        ...

    async def section_numbers(self, policies: Collection[str], /, *, limit: int) -> tuple[str, ...]:
        """Return the first section numbers of policies, in text order."""
        ...


class Knowledge(Protocol):
    """What a run reads of the ontology."""

    @property
    def extent(self) -> Extent:
        """How much there is."""
        ...

    @property
    def lookup(self) -> Lookup:
        """The interface of the ontology's tools."""
        ...

    async def usage(self, stems: Collection[str], /) -> Mapping[str, int]:
        """Return how many sections use each of these stems in their facts or title."""
        ...

    async def facts(self, sought: Sequence[SoughtWord], /, *, limit: int) -> tuple[StatedFact, ...]:
        """Return the stated facts that match most of the words sought, by weight."""
        ...

    async def definitions(self, pairs: Collection[str], /) -> Snapshot:
        """Return the definitions that contain one of these pairs of adjacent words.

        Args:
            pairs: See `core.ontology.fact_words.pairs_of`.
        """
        ...

    async def entities(
        self,
        keys: Collection[EntityKey],
        /,
        *,
        at: Collection[Span] = (),
        ends: Collection[EntityType] = (),
    ) -> Snapshot:
        """Return entities, in any order.

        Args:
            keys: Of the entities; unknown ones are left out.
            at: Spans to include even of an entity with too many to return all.
            ends: Include relations to entities of these types, with their other ends.
        """
        ...

    async def touching(
        self,
        spans: Collection[Span],
        types: Collection[EntityType],
        /,
        *,
        ends: Collection[EntityType] = (),
    ) -> Snapshot:
        """Return the entities of these types of which a span overlaps any of the spans."""
        ...

    async def sections_at(self, spans: Collection[Span], /) -> tuple[SectionPassage, ...]:
        """Return the sections in which spans begin, in text order; long ones are cut."""
        ...

    async def role_names(self, text: str, /) -> tuple[str, ...]:
        """Return the names and aliases of the roles that a text may mention."""
        ...

    async def giving_way(self, policies: Collection[str], /) -> frozenset[str]:
        """Return which of these policies state that they give way to local rules."""
        ...


class OntologyStore(Protocol):
    """Entities and relations."""

    async def open(self, scope: Scope, /) -> Knowledge:
        """Open the ontology of the versions in force in the scope, to be read piece by piece.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        ...

    async def snapshot(self, scope: Scope, /) -> Snapshot:
        """Return all of it at once: for lint and export, never for a question.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        ...

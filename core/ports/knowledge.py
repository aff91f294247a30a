"""The ontology of one edition as one scope may see it, read piece by piece.

What a question needs is read when it is needed: no process holds all of it. Parts come as
snapshots of a few entities. All readings are of one edition, and the same reading gives the same.
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
    """What the ontology's tools read: entities by name, words, neighbourhood and place."""

    async def outline(self) -> Outline:
        """Return what there is."""
        ...

    async def relation_counts(self) -> Mapping[RelationType, int]:
        """Return how many relations there are of each type present."""
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
            name: A name or alias; case, articles and plurals aside. Empty: any.
            is_part: The name may be a part of theirs; the shortest names first.
            limit: Entities wanted at most.
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
        """Return what is joined to an entity: at most `limit` other ends and relations."""
        ...

    async def paths(self, source: EntityKey, target: EntityKey, /, *, max_hops: int) -> Paths:
        """Return the shortest simple chains between two entities, directions ignored, few.

        Where an entity is joined to very many others, not all of them are followed.
        """
        ...

    async def policies_named(self, name: str, /) -> tuple[str, ...]:
        """Return the keys of the policies that a key, a name or words of a title mean, in order."""
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
        """The same, as the ontology's tools read it."""
        ...

    async def usage(self, stems: Collection[str], /) -> Mapping[str, int]:
        """Return how many sections use each of these stems in what they state or are called."""
        ...

    async def facts(self, sought: Sequence[SoughtWord], /, *, limit: int) -> tuple[StatedFact, ...]:
        """Return the stated facts that have the most of what is sought, by weight."""
        ...

    async def definitions(self, pairs: Collection[str], /) -> Snapshot:
        """Return the definitions in which two of these words stand side by side.

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
        """Return entities, in no order of the keys.

        Args:
            keys: Of the entities; those that are unknown are left out.
            at: Spans that are given even of an entity with so many that not all are.
            ends: Give relations to entities of these types as well, with their other ends.
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
        """Return the entities of these types that are stated in or across any of the spans."""
        ...

    async def sections_at(self, spans: Collection[Span], /) -> tuple[SectionPassage, ...]:
        """Return the sections in which spans begin, in text order; of long ones what is near."""
        ...

    async def role_names(self, text: str, /) -> tuple[str, ...]:
        """Return the names and aliases of the roles that a text may name."""
        ...

    async def giving_way(self, policies: Collection[str], /) -> frozenset[str]:
        """Return which of these policies say that they give way to local rules."""
        ...


class OntologyStore(Protocol):
    """Entities and relations."""

    async def open(self, scope: Scope, /) -> Knowledge:
        """Return what versions in force in the scope say, to be read piece by piece.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        ...

    async def snapshot(self, scope: Scope, /) -> Snapshot:
        """Return all of it at once: for work on the whole, never for a question.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        ...

"""What a model proposes as facts of a section: unverified words, in a shape that was checked.

Parsed once and strictly; what does not fit is refused as a whole and never repaired. Whether the
text bears a proposal out is for `core.ontology.model.proposals` to say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from core.domain.errors import ContractError
from core.domain.json_value import Json

MAX_FACTS: Final = 200
"""Entities, and relations, of one part of a section at most."""
MAX_CHARACTERS: Final = 4_000
"""Longest string in a proposal."""
_MAX_ALIASES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEntity:
    """An entity as a model wrote it."""

    id: str
    """What its relations call it; the model's own choice."""
    type: str
    """Meant to be one of `EntityType`."""
    name: str
    """Meant to occur in the quote."""
    quote: str
    """Meant to occur in the section."""
    aliases: tuple[str, ...] = ()
    """Meant to occur in the section."""
    description: str = ""
    """Meant to be a sentence of the section."""
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Meant to be among those of `EntityType`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRelation:
    """A relation as a model wrote it."""

    source: str
    """Id of an entity, `section` or `policy`."""
    type: str
    """Meant to be one of `RelationType`."""
    target: str
    """Id of an entity, `section` or `policy`."""
    quote: str
    """Meant to occur in the section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFacts:
    """All that a model proposes for one part of a section."""

    entities: tuple[ProposedEntity, ...] = ()
    """At most `MAX_FACTS`."""
    relations: tuple[ProposedRelation, ...] = ()
    """At most `MAX_FACTS`."""


def facts_from_json(value: Json) -> ProposedFacts:
    """Parse what a model, or the store, hands over.

    Raises:
        ContractError: It is not of the shape asked for; the message says where.
    """
    known = _object(value, "facts", required=("entities", "relations"))
    return ProposedFacts(
        entities=tuple(
            _entity(item, f"entities[{place}]")
            for place, item in enumerate(_list(known["entities"], "entities", MAX_FACTS))
        ),
        relations=tuple(
            _relation(item, f"relations[{place}]")
            for place, item in enumerate(_list(known["relations"], "relations", MAX_FACTS))
        ),
    )


def facts_to_json(facts: ProposedFacts) -> dict[str, Json]:
    """Return what `facts_from_json` parses."""
    return asdict(facts)


def _entity(value: Json, where: str) -> ProposedEntity:
    known = _object(
        value,
        where,
        required=("id", "type", "name", "quote"),
        optional=("aliases", "description", "attributes"),
    )
    attributes = _object(known.get("attributes", {}), f"{where}.attributes")
    return ProposedEntity(
        id=_string(known["id"], f"{where}.id"),
        type=_string(known["type"], f"{where}.type"),
        name=_string(known["name"], f"{where}.name"),
        quote=_string(known["quote"], f"{where}.quote"),
        aliases=tuple(
            _string(alias, f"{where}.aliases")
            for alias in _list(known.get("aliases", []), f"{where}.aliases", _MAX_ALIASES)
        ),
        description=_string(known.get("description", ""), f"{where}.description"),
        attributes={
            _string(name, f"{where}.attributes"): _string(text, f"{where}.attributes")
            for name, text in attributes.items()
        },
    )


def _relation(value: Json, where: str) -> ProposedRelation:
    known = _object(value, where, required=("source", "type", "target", "quote"))
    return ProposedRelation(
        source=_string(known["source"], f"{where}.source"),
        type=_string(known["type"], f"{where}.type"),
        target=_string(known["target"], f"{where}.target"),
        quote=_string(known["quote"], f"{where}.quote"),
    )


def _object(
    value: Json, where: str, *, required: Sequence[str] = (), optional: Sequence[str] | None = None
) -> Mapping[str, Json]:
    """Return a JSON object with these names; with any, if neither list is given."""
    if not isinstance(value, Mapping):
        raise ContractError(f"{where}: expected an object, got {type(value).__name__}")
    missing = [name for name in required if name not in value]
    if missing:
        raise ContractError(f"{where}: {', '.join(missing)} is missing")
    allowed = {*required, *(optional or ())}
    unknown = sorted(set(value) - allowed) if required else []
    if unknown:
        raise ContractError(f"{where}: {unknown[0]!r:.40} is not asked for")
    return value


def _list(value: Json, where: str, most: int) -> Sequence[Json]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ContractError(f"{where}: expected a list, got {type(value).__name__}")
    if len(value) > most:
        raise ContractError(f"{where}: expected at most {most}, got {len(value)}")
    return value


def _string(value: Json, where: str) -> str:
    """Return a text that can be stored: Postgres takes neither NUL nor half a character."""
    if not isinstance(value, str):
        raise ContractError(f"{where}: expected a string, got {type(value).__name__}")
    if len(value) > MAX_CHARACTERS:
        raise ContractError(f"{where}: expected at most {MAX_CHARACTERS} characters")
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise ContractError(f"{where}: expected text, got a character that is none")
    return value

"""Draw facts that the rules read in documents, to be judged by a person.

    python -m tests.evals.sample_facts FILE [FILE ...] [--each N] [--seed N]

Draws N facts of each file (by default 50): norms, thresholds, deadlines, definitions and roles, and
the relations between them. Prints for each an id, what it says and the text that it was read from.
An id names what is said and where, so that a verdict holds as long as the rules read the same.
"""

import argparse
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from core.domain.ontology import NORMS, EntityType, ExtractedEntity, ExtractedRelation, RelationType
from core.ingest.prepare import Prepared, prepare
from core.ontology.extract.rule_extractor import extract
from core.ports.extraction import SourceDocument

JUDGED = frozenset(
    {
        EntityType.OBLIGATION,
        EntityType.PROHIBITION,
        EntityType.PERMISSION,
        EntityType.EXCEPTION,
        EntityType.THRESHOLD,
        EntityType.DEADLINE,
        EntityType.DEFINITION,
        EntityType.ROLE,
    }
)
BETWEEN = frozenset(
    {
        RelationType.APPROVED_BY,
        RelationType.REPORTS_TO,
        RelationType.ESCALATES_TO,
        RelationType.APPLIES_TO,
        RelationType.HAS_DEADLINE,
        RelationType.HAS_THRESHOLD,
        RelationType.EXEMPTS,
        RelationType.SUPERSEDES,
    }
)
"""Relations that say something; "part of" and "references" only say where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact, for people to judge."""

    id: str
    """The same as long as it says the same of the same text."""
    says: str
    """What was read."""
    text: str
    """What it was read from."""


def facts_of(path: Path) -> list[Fact]:
    """Return the facts of one document, in the order in which they were read."""
    prepared = prepare(path.read_bytes(), source_name=path.name)
    found = extract(
        SourceDocument(
            text=prepared.document.text,
            sections=prepared.sections,
            policy_key=prepared.metadata.key,
            title=prepared.metadata.title,
            jurisdiction=prepared.metadata.jurisdiction,
        )
    )
    named = {entity.key: entity for entity in found.entities}
    facts = [_entity(one, prepared) for one in found.entities if one.type in JUDGED]
    facts += [
        _relation(one, named[one.source], named[one.target], prepared)
        for one in found.relations
        if one.type in BETWEEN
    ]
    return facts


def _entity(one: ExtractedEntity, prepared: Prepared) -> Fact:
    about = one.attributes
    parts = [one.type.value, one.name if one.type is EntityType.ROLE else ""]
    is_whole = one.type in NORMS and "action" not in about
    shown = about.keys() - {"lead_in" if is_whole else "sentence"}
    parts += [f"{name}: {about[name]}" for name in sorted(shown)]
    return _fact(" | ".join(filter(None, parts)), one.spans[-1].of(prepared.document.text))


def _relation(
    one: ExtractedRelation, source: ExtractedEntity, target: ExtractedEntity, prepared: Prepared
) -> Fact:
    says = f"{source.type.value} {source.name} | {one.type.value} | {target.name}"
    return _fact(says, one.spans[-1].of(prepared.document.text))


def _fact(says: str, text: str) -> Fact:
    mark = hashlib.sha256(f"{says}\n{text}".encode()).hexdigest()[:12]
    return Fact(id=mark, says=says, text=" ".join(text.split()))


def drawn(path: Path, *, count: int, seed: int) -> Iterator[Fact]:
    """Yield some facts of a document, drawn by chance."""
    facts = facts_of(path)
    Random(seed).shuffle(facts)  # noqa: S311  # a sample, and no secret
    yield from facts[:count]


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for path in given.files:
        for fact in drawn(path, count=given.each, seed=given.seed):
            print(f"{path.name} {fact.id}\n    {fact.says}\n    << {fact.text[:400]}")


if __name__ == "__main__":
    main()

"""Where a span lies, as people say it, from the rows of its version and section."""

from collections.abc import Mapping
from typing import Any

from core.domain.ontology import SectionRef


def section_ref(row: Mapping[Any, Any]) -> SectionRef:
    """Say where a row with `char_start` and its version's and section's columns lies."""
    starts: list[int] = row["page_starts"]
    return SectionRef(
        policy_key=row["key"],
        policy_title=row["title"],
        version_label=row["label"],
        jurisdiction=row["jurisdiction"],
        eid=row["eid"],
        number=row["number"],
        title=row["section_title"],
        page=max(1, sum(start <= row["char_start"] for start in starts)) if starts else None,
        path=tuple(row["path"]),
    )

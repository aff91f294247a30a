"""The scope of a question as SQL, and where in a policy a row of it lies."""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from core.adapters.postgres.engine.rows import record
from core.domain.ontology import SectionRef, page_kind
from core.domain.question import Scope
from core.language.spans import Span


def section_ref(row: Mapping[Any, Any]) -> SectionRef:
    """Say where a row with `char_start` and its version's and section's columns lies."""
    return record(
        SectionRef,
        row,
        policy_key=row["key"],
        policy_title=row["title"],
        version_label=row["label"],
        title=row["section_title"],
        page=_page(row),
    )


def _page(row: Mapping[Any, Any]) -> int | None:
    """Return the page, or of a sheet the row, which is counted from the sheet's heading."""
    page = page_of(row["page_starts"], row["char_start"])
    if page is not None and page_kind(row["eid"]) == "row":
        return page - row["section_page"] or None
    return page


def page_of(page_starts: Sequence[int], offset: int) -> int | None:
    """Return the page on which a character stands, from 1; None: the document has no pages."""
    return max(1, bisect_right(page_starts, offset)) if page_starts else None


LIVE = (
    "citebound.live_versions(CAST(:scope_edition AS int), CAST(:scope_as_of AS date),"
    " CAST(:scope_groups AS text[]), CAST(:scope_jurisdiction AS text), CAST(:scope_tags AS"
    " text[]))"
)
"""Table function with the column `version_id`; its parameters come from `scope_parameters`."""


def scope_parameters(scope: Scope) -> dict[str, object]:
    """Return the values of the parameters in `LIVE`."""
    return {
        "scope_edition": scope.edition,
        "scope_as_of": scope.as_of,
        "scope_groups": sorted(scope.groups),
        "scope_jurisdiction": scope.jurisdiction,
        "scope_tags": sorted(scope.tags),
    }


def span_arrays(spans: Collection[Span]) -> dict[str, list[int]]:
    """Return spans as the parameters of `unnest(:ids, :starts, :ends)`."""
    return {
        "ids": [span.version_id for span in spans],
        "starts": [span.char_start for span in spans],
        "ends": [span.char_end for span in spans],
    }

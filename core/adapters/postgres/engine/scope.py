"""The scope of a question as SQL: one function call that every statement joins."""

from core.domain.question import Scope

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

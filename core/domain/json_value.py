"""JSON values."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int | float | bool | None"
"""A JSON value."""
JsonObject: TypeAlias = dict[str, Any]
"""A JSON object under construction."""

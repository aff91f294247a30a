"""What services send as JSON, taken for what it should be: nothing else gets further in."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from core.domain.codec import record
from core.domain.errors import ContractError, TransientError

_T = TypeVar("_T")
_PART = 120
"""Characters of a name in a path."""
_ENDING = 16
"""Of those, characters of its ending."""


def object_of(value: Any) -> Mapping[str, Any]:
    """Return an object of JSON; empty if it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def text_of(value: Any) -> str:
    """Return a text of JSON as it can be stored and shown; empty if it is none."""
    if not isinstance(value, str):
        return ""
    plain = value.replace("\N{NO-BREAK SPACE}", " ")
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in plain)


def objects_of(value: Any, *, service: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list of JSON.

    Raises:
        TransientError: It is no list.
    """
    if not isinstance(value, list):
        raise TransientError(f"{service} answers with what is no list")
    return [object_of(one) for one in cast("list[Any]", value) if isinstance(one, dict)]


def path_part(name: str) -> str:
    """Return a name or title as part of a path; of a long one the beginning and its ending."""
    said = " ".join(name.replace("/", "-").split())
    if len(said) > _PART:
        stem, dot, ending = said.rpartition(".")
        is_ending = dot and len(ending) < _ENDING
        said = f"{stem[: _PART - _ENDING]}.{ending}" if is_ending else said[:_PART]
    return said.strip() if said.strip(". ") else "untitled"


def remembered(of: type[_T], text: str | None) -> _T | None:
    """Return a value that was kept as JSON of its fields; None: nothing that can be understood."""
    try:
        return record(of, json.loads(text or "null"))
    except (ValueError, TypeError, ContractError, RecursionError):
        return None

"""Reading what a platform sent: objects that must be there, and objects that may."""

from collections.abc import Mapping
from typing import TypeAlias

from core.domain.errors import ContractError
from core.domain.json_value import Json

Object: TypeAlias = Mapping[str, Json]


def need_object(given: Object, key: str) -> dict[str, Json]:
    """Return an object that the platform promises.

    Raises:
        ContractError: It is not there.
    """
    value = given.get(key)
    if not isinstance(value, Mapping):
        raise ContractError(f"expected an object {key!r}, got {type(value).__name__}")
    return dict(value)


def maybe_object(given: Object, key: str) -> dict[str, Json]:
    """Return an object, an empty one where there is none."""
    value = given.get(key)
    return dict(value) if isinstance(value, Mapping) else {}

"""Build values from rows, and rows from values: the fields of a dataclass say how.

A statement names its columns after the fields. Columns that no field is named after are ignored: a
row also carries what it was found, ordered or grouped by.
"""

import types
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Row

from core.domain import codec

_T = TypeVar("_T")
_PLAIN = frozenset({str, int, float, bool, bytes, types.NoneType})
"""Classes that a driver takes as they are, and that most values have."""


def record(of: type[_T], row: Mapping[Any, Any] | Row[Any], /, **given: Any) -> _T:
    """Return a frozen dataclass, each field from the column of its name; see `codec.record`."""
    if isinstance(row, Row):
        row = row._mapping  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # documented
    return codec.record(of, row, **given)


def row_of(value: Any, /, **more: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as parameters of a statement, with further ones.

    Enumerations become their values, and sets sorted lists.
    """
    row = {name: getattr(value, name) for name in _names(value.__class__)} | more
    for name, item in row.items():
        if item.__class__ not in _PLAIN:
            row[name] = _plain(item)
    return row


@cache
def _names(of: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(of))


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    several: Any = value
    if isinstance(value, frozenset):
        return sorted(several)
    return list(several) if isinstance(value, tuple) else value

"""Build values from rows, and rows from values: the fields of a dataclass say how.

A statement names its columns after the fields. Columns that no field is named after are ignored: a
row also carries what it was found, ordered or grouped by.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache, partial
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from sqlalchemy import Row

from core.domain.errors import ContractError

_T = TypeVar("_T")
_Read = Callable[[Any], Any]
_Plan = tuple[frozenset[type], _Read]
"""Classes whose instances are taken as they are, and what reads any other value."""
_PLAIN = frozenset({str, int, float, bool, bytes, types.NoneType})
"""Classes that a driver takes as they are, and that most values have."""
_ANYTHING: _Plan = (frozenset(), lambda value: value)

_NAMES = {"Mapping": Mapping, "Sequence": Sequence, "Json": object}
"""What the text of `Json`, which refers to itself, is made of: a module that uses it lacks some."""


def record(of: type[_T], row: Mapping[Any, Any] | Row[Any], /, **given: Any) -> _T:
    """Return a frozen dataclass, each field from the column of its name.

    A field that is itself a dataclass, and has no column, is read from the same row. No default
    stands in for a column: one that a statement forgot would pass unseen.

    Args:
        of: The dataclass.
        row: A row, or a stored JSON object.
        given: Fields that are computed; no column is read for them.

    Raises:
        ContractError: A column is missing or has another type. It names the field and no value.
    """
    if isinstance(row, Row):
        row = row._mapping  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # documented
    for name, accepted, read, nested in _plan(of):
        if name in given:
            continue
        if nested is not None and name not in row:
            given[name] = record(nested, row)
            continue
        try:
            value = row[name]
        except KeyError:
            raise ContractError(f"{of.__name__}: the row has no column {name!r}") from None
        if value.__class__ not in accepted:
            try:
                value = read(value)
            except (TypeError, ValueError, KeyError) as error:
                why = f"{of.__name__}.{name}: a value of type {type(value).__name__} does not fit"
                raise ContractError(why) from error
        given[name] = value
    return of(**given)


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


@cache
def _plan(of: Any) -> tuple[tuple[str, frozenset[type], _Read, Any], ...]:
    hints = get_type_hints(of, localns=_NAMES)
    return tuple(
        (
            each.name,
            *_reader(hints[each.name]),
            hints[each.name] if is_dataclass(hints[each.name]) else None,
        )
        for each in fields(of)
        if each.init
    )


def _reader(hint: Any) -> _Plan:
    hint = getattr(hint, "__supertype__", hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(parts)
    if origin is frozenset or parts[1:] == (...,):
        return frozenset(), partial(_collected, origin, _reader(parts[0]))
    if origin is Literal:
        return frozenset(), partial(_one_of, parts)
    kind = origin or hint
    return _of_class(kind) if isinstance(kind, type) else _ANYTHING


def _of_class(kind: Any) -> _Plan:
    if kind is object:
        return _ANYTHING
    accepted: frozenset[type] = frozenset({kind})
    if is_dataclass(kind):
        return accepted, partial(_nested, kind)
    if issubclass(kind, Enum):
        return accepted, kind
    return accepted, _READERS.get(kind, partial(_instance, kind))


def _union(parts: tuple[Any, ...]) -> _Plan:
    others = [part for part in parts if part is not types.NoneType]
    if len(others) > 1:
        return _ANYTHING
    accepted, read = _reader(others[0])
    return accepted | {types.NoneType}, read


def _one_of(values: tuple[Any, ...], value: Any) -> Any:
    if value not in values:
        raise ValueError
    return value


def _instance(kind: type, value: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError
    return value


def _collected(kind: Callable[[Any], Any], plan: _Plan, value: Any) -> Any:
    if value.__class__ not in (list, tuple, frozenset):
        raise TypeError
    accepted, read = plan
    return kind(item if item.__class__ in accepted else read(item) for item in value)


def _nested(kind: Any, value: Any) -> Any:
    return record(kind, _instance(Mapping, value))


def _text(value: Any) -> str:
    return str(value) if isinstance(value, UUID) else _instance(str, value)


def _bytes(value: Any) -> bytes:
    return bytes(_instance(memoryview, value))


def _float(value: Any) -> float:
    return float(_instance(int, value))


def _date(value: Any) -> date:
    return date.fromisoformat(value)


def _datetime(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


_READERS: Mapping[type, _Read] = {
    str: _text,
    bytes: _bytes,
    float: _float,
    date: _date,
    datetime: _datetime,
}
"""What is read of another class than the field's: ids as text, and times of stored JSON."""

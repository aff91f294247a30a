"""Values as JSON and as rows, and back: the fields of a dataclass say how.

A table of names says what is written of a value: words such as `eid` or `policy=policy_key`, the
name in JSON before that of the attribute, which may be a path (`source.url`). The same table reads
it again. `?` stands behind what is left out where it has its default, `~` behind what an earlier
release did not write.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from pathlib import PurePath
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from uuid import UUID

from core.domain.errors import ContractError
from core.domain.json_value import JsonObject

_T = TypeVar("_T")
_Read = Callable[[Any], Any]
_Plan = tuple[frozenset[type], _Read]
"""Classes whose instances are taken as they are, and what reads any other value."""
_ANYTHING: _Plan = (frozenset(), lambda value: value)

_NAMES = {"Mapping": Mapping, "Sequence": Sequence, "Json": object}
"""What the text of `Json`, which refers to itself, is made of: a module that uses it lacks some."""


def json_of(value: Any, names: str = "", /, **given: Any) -> JsonObject:
    """Return what a table names of a value, as JSON.

    Enumerations become their values, days and instants ISO 8601, bytes hexadecimal, ids and paths
    text, sets sorted lists, and dataclasses objects of all their fields.

    Args:
        value: What is written.
        names: The table of names; empty: all fields.
        given: Entries that are computed, in the place that the table gives their names, or last.
    """
    written: JsonObject = {}
    for name, path, get, mark in _table(names or _all_names(value.__class__)):
        own = given.pop(name, MISSING)
        if mark == "?" and get(value) == _defaults(value.__class__)[path]:
            continue
        written[name] = _json(get(value) if own is MISSING else own)
    return written | {name: _json(item) for name, item in given.items()}


def value_of(of: type[_T], stored: Mapping[str, Any], names: str, /, **given: Any) -> _T:
    """Return a value from the JSON that `json_of` made of it; what may be missing has its default.

    Args:
        of: The dataclass.
        stored: The JSON object.
        names: The table of names.
        given: Fields that are computed; nothing is read for them.

    Raises:
        ContractError: Something else is missing, or has another type.
    """
    table = _table(names)
    held = {path: stored[name] for name, path, _, _ in table if name in stored}
    needed = held.keys() | {path for _, path, _, mark in table if not mark}
    lacking = {name: value for name, value in _defaults(of).items() if name not in needed}
    return record(of, held, **lacking | given)


def record(of: type[_T], row: Mapping[Any, Any], /, **given: Any) -> _T:
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


@cache
def _all_names(of: Any) -> str:
    return " ".join(each.name for each in fields(of))


@cache
def _table(names: str) -> tuple[tuple[str, str, Callable[[Any], Any], str], ...]:
    return tuple(map(_entry, names.split()))


def _entry(word: str) -> tuple[str, str, Callable[[Any], Any], str]:
    """Return the name in JSON, the path of the attribute, what reads it, and the mark."""
    mark = word[-1] if word[-1] in "?~" else ""
    name, _, path = word.removesuffix(mark).rpartition("=")
    return name or path.rpartition(".")[2], path, attrgetter(path), mark


def _defaults(of: Any) -> Mapping[str, Any]:
    """Return what fields are if nothing is said of them; what is made anew can't be kept."""
    return {
        each.name: each.default if each.default_factory is MISSING else each.default_factory()
        for each in fields(of)
        if each.init and (each.default, each.default_factory) != (MISSING, MISSING)
    }


def _json(item: Any) -> Any:
    if isinstance(item, Enum):
        return item.value
    if item is None or isinstance(item, str | int | float):
        return item
    if isinstance(item, date):
        return item.isoformat()
    if isinstance(item, bytes):
        return item.hex()
    if isinstance(item, (UUID, PurePath)):
        return str(item)
    return _several_json(item)


def _several_json(item: Any) -> Any:
    if is_dataclass(item):
        return json_of(item)
    if isinstance(item, Mapping):
        entries = cast("Mapping[Any, Any]", item)
        return {_json(key): _json(value) for key, value in entries.items()}
    items = [_json(one) for one in item]
    return sorted(items) if isinstance(item, frozenset) else items


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

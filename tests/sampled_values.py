"""A value of any type of ours, made of its type hints: with all it can hold, or with little."""

import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID
from zlib import crc32

_NAMES = {"Mapping": Mapping, "Sequence": Sequence, "Json": object}


def sampled(hint: Any, name: str = "", *, is_full: bool) -> Any:
    """Return a value of a type; words and numbers in it are made of the names of fields."""
    hint = getattr(hint, "__supertype__", hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if types.NoneType in parts and not is_full:
            return None
        return sampled(parts[0], name, is_full=is_full)
    if origin is Literal:
        return parts[-1 if is_full else 0]
    if origin in (tuple, frozenset, Sequence, list):
        return _several(origin, parts, name, is_full=is_full)
    if origin in (Mapping, dict):
        return {sampled(parts[0], name, is_full=True): sampled(parts[1], name, is_full=is_full)}
    return _single(hint, name, is_full=is_full)


def _several(kind: Any, parts: Any, name: str, *, is_full: bool) -> Any:
    if parts[1:] not in ((), (...,)):
        return tuple([sampled(each, f"{name}{n}", is_full=is_full) for n, each in enumerate(parts)])
    items = (sampled(parts[0], name, is_full=True), sampled(parts[0], f"{name}2", is_full=False))
    held: tuple[Any, ...] = items if is_full else ()
    return frozenset(held) if kind is frozenset else held


def _single(kind: Any, name: str, *, is_full: bool) -> Any:
    number = crc32(name.encode()) % 97 + 1
    plain: dict[Any, Any] = {
        str: name,
        int: number,
        float: number / 8,
        bool: is_full,
        bytes: (name * 32).encode()[:32],
        Path: Path(name),
        date: date(2026, 3, 1),
        datetime: datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        UUID: UUID(int=number),
        object: {"held": name},
        Any: {"held": name},
    }
    if kind in plain:
        return plain[kind]
    if issubclass(kind, Enum):
        return list(kind)[-1 if is_full else 0]
    if hasattr(kind, "__dataclass_fields__"):
        hints = get_type_hints(kind, vars(sys.modules[kind.__module__]), _NAMES)
        made = {each.name: hints[each.name] for each in fields(kind) if each.init}
        # Of a value that holds others of its kind, those within have little.
        full = is_full and not any(_holds(hint, kind) for hint in made.values())
        return kind(**{field: sampled(made[field], field, is_full=full) for field in made})
    if issubclass(kind, Mapping) or kind is dict:
        return {"held": name}
    raise TypeError(f"no value of {kind!r} for {name!r}")


def _holds(hint: Any, kind: type) -> bool:
    return hint is kind or any(_holds(part, kind) for part in get_args(hint))


def called(function: Callable[..., Any], of: Any = None, *, is_full: bool) -> Any:
    """Return what a function, or a method of a class, makes of sampled arguments."""
    hints = get_type_hints(function, localns=_NAMES)
    given: list[Any] = []
    named: dict[str, Any] = {}
    for each in inspect.signature(function).parameters.values():
        value = sampled(hints.get(each.name, of), each.name, is_full=is_full)
        if each.kind is each.KEYWORD_ONLY:
            named[each.name] = value
        else:
            given.append(value)
    return function(*given, **named)

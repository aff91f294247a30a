"""The tools a reasoner may use: name, purpose, arguments, and what each is capable of.

A tool is a function of the ontology and its checked arguments. Arguments are checked here against
the schema that the model is shown, so that a tool never sees one it did not ask for.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from core.domain.run import Json
from core.ports.knowledge import Lookup

Capability: TypeAlias = Literal["overview", "lookup", "neighbourhood", "documents", "passages"]
"""What a tool is for: what there is, finding entities, following relations, what the facts say of
documents, and the documents' own passages."""

Arguments: TypeAlias = Mapping[str, str | int]
"""Checked arguments; optional ones have their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a tool."""

    name: str
    """As the model writes it."""
    description: str
    """What it means, for the model."""
    type: Literal["string", "integer"] = "string"
    """JSON type."""
    default: str | int | None = None
    """Value if it is left out; None: it must be given."""
    choices: tuple[str, ...] = ()
    """Allowed values; empty: any."""
    most: int = 500
    """Longest string, or greatest integer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One read-only tool."""

    name: str
    """As the model calls it."""
    capability: Capability
    """What it is for."""
    description: str
    """When to use it and what it returns, for the model."""
    parameters: tuple[Parameter, ...]
    """Its arguments."""
    run: Callable[[Lookup, Arguments], Awaitable[Mapping[str, Json]]]
    """Answers; raises `ArgumentError` for an argument that means nothing here."""

    def schema(self) -> Mapping[str, Json]:
        """Return the JSON schema of its arguments."""
        properties: dict[str, Json] = {}
        for parameter in self.parameters:
            described: dict[str, Json] = {
                "type": parameter.type,
                "description": parameter.description,
            }
            if parameter.choices:
                described["enum"] = list(parameter.choices)
            if parameter.default is not None:
                described["default"] = parameter.default
            properties[parameter.name] = described
        required: list[Json] = [
            parameter.name for parameter in self.parameters if parameter.default is None
        ]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }


class ArgumentError(Exception):
    """An argument cannot be used; the message tells the model how to correct it."""


class Registry:
    """Tools by name, in the order in which they were registered."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @property
    def names(self) -> tuple[str, ...]:
        """All tools."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """Return a tool by its name."""
        return self._tools.get(name)

    def joined(self, tools: Sequence[Tool]) -> "Registry":
        """Return the registry with more tools behind its own."""
        return Registry([*self._tools.values(), *tools])

    def capable_of(self, *capabilities: Capability) -> "Registry":
        """Return the registry of the tools with one of these capabilities."""
        return Registry([tool for tool in self._tools.values() if tool.capability in capabilities])

    def definitions(self) -> list[Mapping[str, Json]]:
        """Return name, description and schema of each tool, as model providers take them."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema()}
            for tool in self._tools.values()
        ]


def checked(tool: Tool, arguments: Mapping[str, Json]) -> Arguments:
    """Return the arguments as the tool's schema wants them.

    Raises:
        ArgumentError: one is missing, unknown, of another type, or too long.
    """
    known = {parameter.name for parameter in tool.parameters}
    unknown = sorted(set(arguments) - known)
    if unknown:
        raise ArgumentError(
            f"unknown argument {', '.join(map(repr, unknown))}; {tool.name} takes"
            f" {', '.join(sorted(known)) or 'no arguments'}"
        )
    return {parameter.name: _value(parameter, arguments) for parameter in tool.parameters}


def _value(parameter: Parameter, arguments: Mapping[str, Json]) -> str | int:
    value = arguments.get(parameter.name)
    if value is None:
        if parameter.default is None:
            raise ArgumentError(f"missing argument {parameter.name!r}: {parameter.description}")
        return parameter.default
    if parameter.type == "integer":
        if isinstance(value, bool) or not isinstance(value, int):
            raise ArgumentError(f"expected an integer for {parameter.name!r}, got {value!r:.60}")
        return max(1, min(value, parameter.most))
    if not isinstance(value, str) or (not value.strip() and parameter.default is None):
        raise ArgumentError(f"expected a non-empty string for {parameter.name!r}")
    if len(value) > parameter.most:
        raise ArgumentError(f"{parameter.name!r} is longer than {parameter.most} characters")
    return _choice(parameter, value.strip())


def _choice(parameter: Parameter, value: str) -> str:
    """Return the allowed value that is meant, case aside."""
    if not parameter.choices or not value:
        return value
    for choice in parameter.choices:
        if choice.casefold() == value.casefold():
            return choice
    raise ArgumentError(
        f"{value!r:.60} is no {parameter.name}; use one of {', '.join(parameter.choices)}"
    )

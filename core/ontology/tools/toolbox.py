"""The toolbox that gives a run the ontology's tools.

All are read-only and see one edition. The only error they raise is that of a failed database: a bad
argument comes back as `error`, with the way to correct it.
"""

import logging
from collections.abc import Mapping, Sequence

from core.domain.errors import TransientError
from core.domain.json_value import Json
from core.domain.run import ToolCall
from core.ontology.tools.lookup import (
    COMPARE,
    FIND_ENTITIES,
    FIND_PATHS,
    GET_ENTITY,
    GET_GRAPH_SUMMARY,
    GET_NEIGHBORS,
    LIST_ENTITY_TYPES,
    RESOLVE_DEFINITION,
    SEARCH_ENTITIES,
    SUMMARIZE,
)
from core.ontology.tools.registry import ArgumentError, Registry, Tool, checked
from core.ports.knowledge import Lookup

_LOG = logging.getLogger(__name__)

REGISTRY = Registry(
    [
        GET_GRAPH_SUMMARY,
        LIST_ENTITY_TYPES,
        FIND_ENTITIES,
        SEARCH_ENTITIES,
        GET_ENTITY,
        GET_NEIGHBORS,
        FIND_PATHS,
        RESOLVE_DEFINITION,
        COMPARE,
        SUMMARIZE,
    ]
)
"""All tools of the ontology."""


class OntologyToolbox:
    """See `core.ports.Toolbox`. One run's tools over one edition."""

    def __init__(self, ontology: Lookup, *, max_calls: int, registry: Registry = REGISTRY) -> None:
        self._ontology = ontology
        self._max_calls = max_calls
        self._registry = registry
        self._calls: list[ToolCall] = []

    def register(self, tools: Sequence[Tool]) -> None:
        """Add the tools of another source; they are counted and checked like the ontology's."""
        self._registry = self._registry.joined(tools)

    @property
    def names(self) -> tuple[str, ...]:
        """See `Toolbox.names`."""
        return self._registry.names

    @property
    def definitions(self) -> Sequence[Mapping[str, Json]]:
        """See `Toolbox.definitions`."""
        return self._registry.definitions()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """See `Toolbox.calls`."""
        return tuple(self._calls)

    async def call(self, tool: str, arguments: Mapping[str, Json], /) -> Mapping[str, Json]:
        """See `Toolbox.call`. Beyond `max_calls` every call returns an error and is not counted."""
        if len(self._calls) >= self._max_calls:
            return _error(
                f"no tool calls left (at most {self._max_calls}); answer from what you have"
            )
        result = await self._run(tool, arguments)
        evidence, error = result.get("evidence"), result.get("error")
        self._calls.append(
            ToolCall(
                tool=tool,
                arguments=dict(arguments),
                evidence=len(evidence) if isinstance(evidence, list) else 0,
                error=error if isinstance(error, str) else None,
            )
        )
        return result

    async def _run(self, name: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        tool = self._registry.get(name)
        if tool is None:
            return _error(f"no tool {name!r:.60}; use one of {', '.join(self.names)}")
        try:
            return await tool.run(self._ontology, checked(tool, arguments))
        except ArgumentError as error:
            return _error(str(error))
        except TransientError:
            raise
        except Exception:
            _LOG.exception("tool failed", extra={"tool": name})
            return _error(f"{name} failed; try another tool")


def _error(message: str) -> dict[str, Json]:
    return {"error": message, "evidence": [], "stats": {"entities": 0, "evidence": 0}}

"""Compare a replayed run with the recorded one, stage by stage: what differs first is named."""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.json_value import Json, JsonObject

_TIMES = frozenset({"took_ms", "retrieval_time_ms", "generation_time_ms", "total_time_ms"})
_UNDERSTOOD = ("question", "standalone", "searched", "context")
_CALL = ("purpose", "model", "prompt", "request_hash", "response_hash", "error")
LINES = 40
"""Lines of a difference that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """What of a run must be the same in every byte."""

    trace: JsonObject
    """How it came about; times are not compared."""
    retrieved: JsonObject
    """What a draft could cite, with a hash over all of it."""
    answer: JsonObject
    """What is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first stage at which two runs differ."""

    stage: str
    """`question`, a stage of the pipeline, `evidence`, `model_calls`, `answer` or `reply`."""
    lines: tuple[str, ...]
    """What differs: lines of the recorded one begin with `-`, those of the replay with `+`."""


def first_difference(then: RunParts, now: RunParts) -> Difference | None:
    """Return the first stage that differs; None: the runs are the same in every byte."""
    other = dict(_stages(now))
    stages = dict(_stages(then))
    for stage in [*stages, *(one for one in other if one not in stages)]:
        recorded, replayed = written(stages.get(stage)), written(other.get(stage))
        if recorded != replayed:
            return difference(stage, recorded, replayed)
    return None


def difference(stage: str, then: str, now: str) -> Difference:
    """Return how two texts differ."""
    lines = difflib.unified_diff(then.splitlines(), now.splitlines(), n=1, lineterm="")
    told = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    more = [f"and {len(told) - LINES} more lines"] if len(told) > LINES else []
    return Difference(stage=stage, lines=(*told[:LINES], *more))


def written(value: Json) -> str:
    """Return a value as text: equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1)


def _stages(parts: RunParts) -> Iterator[tuple[str, Json]]:
    trace = parts.trace
    yield "question", {name: trace[name] for name in _UNDERSTOOD}
    counted: dict[str, int] = {}
    for step in trace["steps"]:
        name = str(step["stage"])
        counted[name] = counted.get(name, 0) + 1
        number = "" if counted[name] == 1 else f" {counted[name]}"
        yield f"{name}{number}", _without_times(step["detail"])
    yield "evidence", parts.retrieved
    calls: list[Mapping[str, Any]] = trace["model_calls"]
    yield "model_calls", [{name: call.get(name) for name in _CALL} for call in calls]
    yield "answer", parts.answer


def _without_times(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {key: _without_times(item) for key, item in value.items() if key not in _TIMES}
    if isinstance(value, list | tuple):
        return [_without_times(item) for item in value]
    return value

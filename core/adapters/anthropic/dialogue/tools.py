"""The tools that look nothing up: a plan, and a confidence; parsed once, or refused."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.agent.planning.intent import Intent
from core.agent.request import MAX_ASKED, OUT_OF_SCOPE
from core.domain.json_value import Json
from core.language.quantities import missing_quantities
from core.language.sentences import split_sentences

MAKE_PLAN = "make_plan"
EMIT_CONFIDENCE = "emit_confidence"
OPTIONS = 6
"""Values offered with a question back, at most."""
OPTION = 80
"""Characters of one, at most."""
REASON = 600
"""Characters kept of a reason."""
_STATES = re.compile(r"[.!?][?!]")
"""A statement with a question mark added."""
_LIVE = re.compile(r"[<>@`\[\]]|://|\bwww\.|\w-*+\.[a-z]{2,}\b", re.IGNORECASE)
"""What a platform may turn into a link, a mention or markup."""
INTENTS = (*(intent.value for intent in Intent), "report", "small_talk", OUT_OF_SCOPE)

_PLAN: Mapping[str, Json] = {
    "name": MAKE_PLAN,
    "description": (
        "Say what kind of question this is and which tools you mean to use, or ask the one fact"
        " without which it cannot be answered. Optional unless you ask."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "intent": {
                "type": "string",
                "enum": list(INTENTS),
                "description": (
                    "`report`: the asker tells of misconduct, harassment or a person."
                    " `out_of_scope`: nothing that a company's policies could answer."
                ),
            },
            "tools": {"type": "array", "items": {"type": "string"}},
            "need_clarification": {"type": "boolean"},
            "clarification_question": {
                "type": "string",
                "description": "One short question that names the missing fact, ending in '?'.",
            },
            "slot": {
                "type": "string",
                "description": "The missing fact: referent, jurisdiction, employment, or its name.",
            },
            "options": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Its values, if they are few.",
            },
        },
        "required": ["intent", "need_clarification"],
        "additionalProperties": False,
    },
}
_CONFIDENCE: Mapping[str, Json] = {
    "name": EMIT_CONFIDENCE,
    "description": (
        "Report how completely the ontology's findings answer the question. Below a threshold,"
        " passages of the documents are handed to you. Report once."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "score": {"type": "number", "description": "From 0 (not at all) to 1 (every part)."},
            "reasoning": {"type": "string", "description": "What is missing, in a sentence."},
        },
        "required": ["score", "reasoning"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Arguments that could not be parsed."""

    reason: str
    """What is wrong, for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan as proposed."""

    intent: str
    """One of `INTENTS`."""
    tools: tuple[str, ...]
    """Tools that it names, known or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarificationRequest:
    """A question back to the asker, as proposed."""

    intent: str
    """One of `INTENTS`."""
    question: str
    """What to ask."""
    slot: str
    """The missing fact."""
    options: tuple[str, ...]
    """Its values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A confidence as reported."""

    score: float
    """In [0, 1]."""
    reasoning: str
    """Why."""


def definitions(
    offered: Sequence[Mapping[str, Json]], *, use_rag: bool
) -> tuple[Mapping[str, Json], ...]:
    """Return the tools of a run: those of its toolbox, a plan, and a confidence.

    Args:
        offered: Definitions of the toolbox's tools.
        use_rag: False: there is no gate, so no confidence is asked for.
    """
    return (*offered, _PLAN, *((_CONFIDENCE,) if use_rag else ()))


def parse_plan(
    arguments: Json, *, known: Sequence[str]
) -> Planned | ClarificationRequest | Malformed:
    """Parse the arguments of `make_plan`.

    Args:
        arguments: As the model wrote them.
        known: The texts so far: a question back may name no figure that is not in them.
    """
    if not isinstance(arguments, Mapping):
        return Malformed(reason="the arguments must be an object")
    intent, asks = arguments.get("intent"), arguments.get("need_clarification")
    if not isinstance(asks, bool):
        return Malformed(reason="need_clarification must be true or false")
    kind = intent if isinstance(intent, str) and intent in INTENTS else Intent.GENERAL.value
    tools, options = _strings(arguments.get("tools")), _strings(arguments.get("options"))
    if not asks:
        return Planned(intent=kind, tools=tools)
    question = askable(arguments.get("clarification_question"), known=known)
    if question is None:
        return Malformed(
            reason=(
                f"clarification_question must be one question of at most {MAX_ASKED} characters,"
                " ending in '?', with no figure that nobody mentioned"
            )
        )
    slot = arguments.get("slot")
    return ClarificationRequest(
        intent=kind,
        question=question,
        slot=slot.strip()[:OPTION] if isinstance(slot, str) and slot.strip() else "referent",
        options=usable_options(options, known=known),
    )


def askable(text: Json, *, known: Sequence[str]) -> str | None:
    """Return a question back as it may be shown, or None.

    It is shown unverified, so it must state nothing and link to nothing: a single question, with
    known figures only, and without addresses, mentions or markup.
    """
    asked = " ".join(text.split()) if isinstance(text, str) else ""
    if not asked.endswith("?") or len(asked) > MAX_ASKED or not _is_harmless(asked, known):
        return None
    return asked


def _is_harmless(text: str, known: Sequence[str]) -> bool:
    return (
        not missing_quantities(text, known)
        and _LIVE.search(text) is None
        and _STATES.search(text) is None
        and len(split_sentences(text)) == 1
    )


def usable_options(options: Sequence[str], *, known: Sequence[str]) -> tuple[str, ...]:
    """Return the options that may be shown, each once."""
    folded = dict.fromkeys(" ".join(option.split()) for option in options)
    return tuple(
        option for option in folded if 0 < len(option) <= OPTION and _is_harmless(option, known)
    )[:OPTIONS]


def parse_confidence(arguments: Json) -> Reported | Malformed:
    """Read the arguments of `emit_confidence`."""
    if not isinstance(arguments, Mapping):
        return Malformed(reason="the arguments must be an object")
    score, reasoning = share(arguments.get("score")), arguments.get("reasoning")
    if score is None:
        return Malformed(reason="score must be a number from 0 to 1")
    return Reported(score=score, reasoning=reasoning[:REASON] if isinstance(reasoning, str) else "")


def share(value: Json) -> float | None:
    """Return a number in [0, 1]; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0.0 <= value <= 1.0 else None


def _strings(value: Json) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        return ()
    return tuple(one for one in value if isinstance(one, str))

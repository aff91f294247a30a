"""Translations of statements, on the small model: text that nothing trusts until it was checked."""

import asyncio
from collections.abc import Mapping, Sequence

from core.adapters.anthropic.api.api_types import Calls, ModelRequest, ToolUse
from core.adapters.anthropic.api.providers import Capabilities, ModelChoice
from core.adapters.anthropic.dialogue.dialogue import data_block, system, text_block
from core.agent.prompts import Prompt
from core.domain.errors import ContractError
from core.domain.json_value import Json

SUBMIT_TRANSLATION = "submit_translation"
TIMEOUT_S = 15.0
"""Timeout of a call: without it the statements are shown as they are."""
TRANSLATION_TOOL: Mapping[str, Json] = {
    "name": SUBMIT_TRANSLATION,
    "description": "Hand in the translations. Call it exactly once.",
    "input_schema": {
        "type": "object",
        "properties": {
            "translations": {
                "type": "array",
                "description": "One for each statement, in order.",
                "items": {
                    "type": "object",
                    "properties": {
                        "statement": {"type": "integer", "description": "Its number."},
                        "text": {"type": "string", "description": "It, translated."},
                    },
                    "required": ["statement", "text"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["translations"],
        "additionalProperties": False,
    },
}


class Translator:
    """Translates with the small model."""

    def __init__(
        self, calls: Calls, *, prompt: Prompt, models: ModelChoice, capabilities: Capabilities
    ) -> None:
        self._calls = calls
        self._prompt = prompt
        self._models = models
        self._is_cached = capabilities.prompt_caching

    async def translate(self, texts: Sequence[str], *, into: str) -> Sequence[str]:
        """Return a translation of each text.

        Raises:
            ContractError: There is not one for each, or it took too long.
            ModelUnavailableError: The model failed, or the budget is spent.
        """
        statements: Json = [
            {"statement": number, "text": text} for number, text in enumerate(texts, start=1)
        ]
        said = f"Translate each statement into {into}. Call {SUBMIT_TRANSLATION} now."
        try:
            async with asyncio.timeout(TIMEOUT_S):
                reply = await self._calls.call(
                    ModelRequest(
                        purpose="translate",
                        prompt=self._prompt.label,
                        model=self._models.review,
                        max_tokens=self._models.review_tokens,
                        system=system(self._prompt, is_cached=self._is_cached),
                        messages=(
                            {
                                "role": "user",
                                "content": [
                                    data_block("statements", statements),
                                    text_block(said),
                                ],
                            },
                        ),
                        tools=(TRANSLATION_TOOL,),
                        effort=self._models.review_effort,
                        tool_choice={"type": "tool", "name": SUBMIT_TRANSLATION}
                        if self._models.forces_tools
                        else None,
                    )
                )
        except TimeoutError as error:
            raise ContractError(f"no translation came within {TIMEOUT_S:g} s") from error
        uses = [part for part in reply.parts if isinstance(part, ToolUse)]
        whole = reply.stop_reason in {"tool_use", "end_turn"}
        if not whole or len(uses) != 1 or uses[0].name != SUBMIT_TRANSLATION:
            raise ContractError(f"expected one call of {SUBMIT_TRANSLATION}, got {len(uses)} calls")
        return translations_of(uses[0].arguments, len(texts))


def translations_of(arguments: Json, count: int) -> Sequence[str]:
    """Read the arguments of `submit_translation`.

    Raises:
        ContractError: There is not exactly one translation for each statement.
    """
    given = arguments.get("translations") if isinstance(arguments, Mapping) else None
    if isinstance(given, str) or not isinstance(given, list | tuple) or len(given) != count:
        raise ContractError("there is not one translation for each statement")
    found: dict[int, str] = {}
    for one in given:
        number, text = (
            (one.get("statement"), one.get("text")) if isinstance(one, Mapping) else (None, None)
        )
        if type(number) is not int or not isinstance(text, str):
            raise ContractError("a translation is malformed")
        found[number] = text.strip()
    if set(found) != set(range(1, count + 1)):
        raise ContractError("there is not one translation for each statement")
    return tuple(found[number] for number in sorted(found))

"""What a question points at: "Is this allowed?" under a colleague's message. Pure.

A message around a question lends it a subject where it names none of its own, and nothing else: it
is no statement of the asker's. One that reports misconduct is left out altogether, so that nobody
but its writer passes it on.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.agent.conversation.misconduct import is_report
from core.agent.conversation.small_talk import without_greeting
from core.agent.conversation.speech import asks
from core.agent.conversation.understanding import (
    LEAST_OWN,
    Understood,
    clean,
    points_back,
    refers,
    shortened,
    understand,
)
from core.agent.request import MAX_QUESTION
from core.domain.answer import Outcome
from core.domain.conversation import ContextMessage, bounded
from core.domain.question import Assumption, Turn
from core.language.conditions import Condition, conditions_in
from core.language.content_words import content_words
from core.ports import Vector

LENT = 300
"""Characters that a message lends to a question."""
_LEAST = 3
"""Telling words of a message that can be a subject."""
_NAMES_NOTHING = content_words(
    "allow allowed ok okay fine permitted legal right possible problem issue rule policy accept"
    " keep take give do approve approval permission sign form limit deadline threshold report"
    " register declare need necessary required compliant apply mean answer question thing case"
    " situation bot"
)
"""Words of questions that are the same whatever they are about."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A message as it is to be asked."""

    standalone: str
    """See `Question.standalone`."""
    assumptions: tuple[Assumption, ...] = ()
    """See `Question.assumptions`."""
    conditions: tuple[Condition, ...] = ()
    """See `Question.conditions`."""
    context: tuple[ContextMessage, ...] = ()
    """See `Question.context`."""
    referent: str = ""
    """See `Question.referent`."""
    compared: tuple[str, ...] = ()
    """See `FollowUp.compared`."""


def resolve(
    text: str,
    history: Sequence[Turn],
    around: Sequence[ContextMessage],
    *,
    asker: str = "",
    vectors: Mapping[str, Vector] | None = None,
) -> Resolved:
    """Understand a message in its thread, and with what was written around it.

    What it points at is the nearest: a message of the context before an earlier turn. A follow-up
    keeps the context of the turn that it follows. For `vectors` see `follow_up`.
    """
    text = shortened(text)
    told = understand(text, history, asker=asker, vectors=vectors)
    context = readable(around)
    pointed = "" if _is_reply(text, told, history) else referent(text, context, history)
    if pointed:
        whole = f"{pointed} {without_greeting(text)}"
        if len(whole) <= MAX_QUESTION:
            return Resolved(
                standalone=whole,
                assumptions=told.assumptions,
                conditions=conditions_in(text),
                context=context,
                referent=pointed,
            )
    if told.follows and history[-1].context:
        context = context or history[-1].context
        pointed = referent(history[-1].question, history[-1].context, history[:-1])
        pointed = pointed if len(pointed) + len(told.standalone) < MAX_QUESTION else ""
    else:
        pointed = ""
    return Resolved(
        standalone=f"{pointed} {told.standalone[-MAX_QUESTION:]}".lstrip(),
        assumptions=told.assumptions,
        conditions=told.conditions,
        context=context,
        referent=pointed,
        compared=told.compared,
    )


def _is_reply(text: str, told: Understood, history: Sequence[Turn]) -> bool:
    """Say whether a message answers what we asked its writer back."""
    if not history or history[-1].outcome != Outcome.CLARIFICATION:
        return False
    options = history[-1].options
    said = [one for one in told.assumptions if one.source != "thread"]
    return any(not asks(text) or one.value in options for one in said)


def readable(messages: Sequence[ContextMessage]) -> tuple[ContextMessage, ...]:
    """Return the messages that may be used: none that reports misconduct."""
    cleaned = (
        ContextMessage(text=clean(one.text), part=one.part, is_own=one.is_own) for one in messages
    )
    return bounded([one for one in cleaned if not is_report(one.text)])


def needs_subject(text: str) -> bool:
    """Say whether a question names no subject of its own, or points at something."""
    return points_back(text) or not content_words(text) - _NAMES_NOTHING


def referent(text: str, context: Sequence[ContextMessage], history: Sequence[Turn]) -> str:
    """Return the words that a question points at, as they are put before it; `""` if it has none.

    What the asker pointed at goes first. What was said in the thread since our last reply comes
    before that reply; the first message of the thread counts where we have not spoken yet. A longer
    question with a pronoun anywhere, and little else to go by, means what its asker pointed at
    ("How long do we have to keep it in the archive?"); of 626 questions that stand alone, 3 would.
    """
    if not needs_subject(text):
        is_about_chosen = refers(text) and len(content_words(text) - _NAMES_NOTHING) < LEAST_OWN
        context = [one for one in context if one.is_chosen] if is_about_chosen else []
    chosen = [one for one in context if one.is_chosen]
    earlier = [one for one in context if one.part == "earlier"]
    roots = [] if history else [one for one in context if one.part == "root"]
    # In a thread that people began, its subject is what it began with.
    candidates = (*reversed(chosen), *roots, *reversed(earlier))
    return next((lent for one in candidates if (lent := _lent(one))), "")


def _lent(message: ContextMessage) -> str:
    """Return the sentences of a message that name something, up to `LENT` characters.

    One at which the asker pointed may be as short as it likes.
    """
    least = 1 if message.is_chosen else _LEAST
    kept: list[str] = []
    size = 0
    for sentence in _SENTENCE_END.split(message.text):
        said = " ".join(sentence.split())
        if len(content_words(said)) < least:
            continue
        if kept and size + len(said) > LENT:
            break
        kept.append(said[:LENT])
        size += len(said) + 1
    lent = " ".join(kept)
    return lent if not lent or lent[-1] in ".!?" else f"{lent}."

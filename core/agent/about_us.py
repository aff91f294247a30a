"""Replies about the assistant itself: what it is, what it records, how far to trust it.

A message is one about us if each sentence of it that asks is, and the message as a whole may be: a
policy question is never answered with a text about us. Such a reply rests on no policy and has no
badge, asks nothing back, and is recorded with a slot of its own. Where others read, what concerns
the asker's data is for the asker alone.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.agent.conversation.small_talk import SmallTalk, small_talk, without_greeting
from core.agent.conversation.speech import asks
from core.agent.reply.compose import NO_CONFIDENCE
from core.agent.wording import (
    ABOUT_US,
    BY_MODEL,
    BY_RULES,
    NOT_SEALED,
    NOT_SENT,
    SEALED,
    SEARCHED,
    SENT,
    TRACED,
)
from core.domain.about_us import PRIVATE, SURE, Deployment, SelfTopic
from core.domain.answer import Answer, Outcome
from core.domain.errors import ContractError
from core.domain.question import ABOUT_US_SLOT, Question
from core.language.interface.texts import as_it_is
from core.language.languages import Language
from core.ports.text_models import SelfQuestions

WHOLE = 0.3
"""The least of a message as a whole, of which a part is about us for sure."""
TOLD = 0.8
"""The same of words that ask nothing: somebody may tell of what cannot wait."""
GOING_ON = 0.35
"""Where the message before was about us."""
LONGEST = 300
"""Characters: longer messages tell of something."""
_PART = re.compile(r"[^.?!:;\n]+[.?!]*")
_ABOUT_DATA = PRIVATE - {SelfTopic.SPEAK_UP}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutUs:
    """Recognises questions about us, and answers them."""

    recognise: SelfQuestions | None = None
    """None: only those that are asked in the plainest words are recognised."""
    deployment: Deployment = field(default_factory=Deployment)
    """What is true here."""

    async def topics(self, question: Question) -> frozenset[SelfTopic]:
        """Return what a message asks of us; empty if anything else is asked, too."""
        text = without_greeting(question.text)
        if any(one.is_chosen for one in question.context) or len(text) > LONGEST:
            return frozenset()
        if small_talk(text) is SmallTalk.IDENTITY:
            return frozenset({SelfTopic.IDENTITY})
        goes_on = bool(question.history) and question.history[-1].slot == ABOUT_US_SLOT
        try:
            return await self._read(text, text if goes_on else question.own, goes_on=goes_on)
        except ContractError as error:
            logger.warning("no question about the assistant is recognised: %s", error)
            return frozenset()

    async def _read(self, text: str, whole: str, *, goes_on: bool) -> frozenset[SelfTopic]:
        if self.recognise is None:
            return frozenset()
        sure, found = (GOING_ON if goes_on else SURE), set[SelfTopic]()
        likely = await self.recognise.likelihoods(without_greeting(whole))
        if sum(likely.values()) < min(WHOLE, sure):
            return frozenset()
        parts = [part for part in map(str.strip, _PART.findall(text)) if part.strip(" .?!")]
        for part in parts:
            one = await self.recognise.likelihoods(part) if len(parts) > 1 else likely
            if sum(one.values()) >= (sure if asks(part) else TOLD):
                found.add(_likeliest(one))
            elif asks(part) and small_talk(part) is None:
                return frozenset()
        return frozenset(found)

    def said(self, topics: frozenset[SelfTopic], language: Language) -> str:
        """Return what is said of topics, each in its paragraph; empty: nothing about us."""
        here = self.deployment
        sent = SENT.format(model=here.model) if here.model else NOT_SENT
        if here.embedder:
            sent += SEARCHED.format(service=here.embedder)
        sent += TRACED if here.is_traced else as_it_is("")
        places = {
            "sent": sent,
            "writes": BY_MODEL.format(model=here.model) if here.model else BY_RULES,
            "sealed": SEALED if here.is_sealed else NOT_SEALED,
        }
        said = [
            ABOUT_US[topic].format(**places)
            for topic in SelfTopic
            if topic in topics & ABOUT_US.keys()
        ]
        own = [as_it_is(here.own_text)] if here.own_text and topics & _ABOUT_DATA else []
        return "\n\n".join(text.of(language) for text in (*said, *own))

    def reply(self, topics: frozenset[SelfTopic], question: Question) -> Answer:
        """Return the reply to a message about us."""
        return Answer(
            outcome=Outcome.CLARIFICATION,
            text=self.said(topics, question.language),
            confidence=NO_CONFIDENCE,
            slot=ABOUT_US_SLOT,
            is_private=bool(topics & PRIVATE),
            language=question.language.value,
        )


def _likeliest(likely: Mapping[SelfTopic, float]) -> SelfTopic:
    return max(likely, key=lambda topic: likely[topic])

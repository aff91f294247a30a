"""Replies that are given before anybody plans or drafts: to a report, and in another language.

A report of misconduct is never answered, whoever reasons. The rules that reason without a language
model know English: a question in German, French or Spanish is searched for all the same, and if
policies in its language are among what is found relevant, its words are compared with them as
ever. Else it is refused, in the language of whoever asked.
"""

from dataclasses import dataclass

from core.agent.about_us import said_of, topics_of
from core.agent.conversation.misconduct import is_confidential
from core.agent.document_search import DocumentSearch
from core.agent.languages_wording import words_in
from core.agent.reply import compose
from core.agent.request import PipelineParts
from core.agent.speak_up import speak_up, ways_to_report
from core.domain.answer import Answer, Outcome
from core.domain.question import PRIVATE, SURE, UNANSWERED, UNASKED_SLOT, Question, SelfTopic
from core.domain.run import Plan
from core.language.interface.texts import spoken
from core.language.languages import Language, language_of

ABOUT_US = "about_assistant"
"""The intent of a question about the assistant itself."""
OTHER_LANGUAGE = "other_language"
"""The intent of a question that is refused for its language."""
_NOT_TOLD = frozenset({Language.ENGLISH, Language.OTHER})


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyReply:
    """How a run ends before anything is planned."""

    plan: Plan
    """What its trace says of it."""
    answer: Answer
    """What is shown."""


async def early_reply(
    question: Question, passages: DocumentSearch, parts: PipelineParts, *, use_rag: bool
) -> EarlyReply | None:
    """Return the reply to a report, to a question about us or in another language; None: go on."""
    if is_confidential(question):
        answer = await speak_up(question, passages if use_rag else None, parts)
        return EarlyReply(plan=Plan(intent="report"), answer=answer)
    is_model = parts.reasoner.is_model
    about_us = await _about_us(question, passages, parts, sure=SURE)
    if about_us is not None or is_model or not use_rag:
        return about_us
    if not await _is_unanswerable(question, passages, parts):
        return None
    language = language_of(question.text)
    answer = compose.not_in_language(words_in(language), language)
    return EarlyReply(plan=Plan(intent=OTHER_LANGUAGE), answer=answer)


async def unless_about_us(
    reply: EarlyReply, question: Question, passages: DocumentSearch, parts: PipelineParts
) -> EarlyReply:
    """Return a reply, or where rules have no answer, that to what may be asked about us."""
    answer = reply.answer
    is_open = answer.outcome is Outcome.REFUSED or answer.slot == UNASKED_SLOT
    if parts.reasoner.is_model or not is_open:
        return reply
    return await _about_us(question, passages, parts, sure=UNANSWERED) or reply


async def _about_us(
    question: Question, passages: DocumentSearch, parts: PipelineParts, *, sure: float
) -> EarlyReply | None:
    """Return what is said about us, beside how to report where that is asked, too."""
    topics = await topics_of(question, parts.about_us, sure=sure)
    if not topics or (parts.reasoner.is_model and SelfTopic.SPEAK_UP in topics):
        return None
    written = spoken(language_of(question.text))
    language = question.language if written is Language.ENGLISH else written
    said = said_of(topics, parts.about_us.deployment, language)
    answer = compose.about_us(said, language, is_private=bool(topics & PRIVATE))
    if SelfTopic.SPEAK_UP in topics:
        answer = await ways_to_report(question, passages, parts)
        if answer.outcome is Outcome.REFUSED and not said:
            return None  # what else the policies say may answer
        answer = compose.with_note(answer, said) if said else answer
    return EarlyReply(plan=Plan(intent=ABOUT_US), answer=answer)


async def _is_unanswerable(
    question: Question, passages: DocumentSearch, parts: PipelineParts
) -> bool:
    """Say whether a question is in a language that neither the rules nor the policies have."""
    language = language_of(question.text)
    if language in _NOT_TOLD or language_of(question.own) in _NOT_TOLD:
        return False
    found = await passages.first()
    near = [hit for hit in found.result.hits if hit.relevance >= parts.limits.relevance_threshold]
    return not any(language_of(hit.text) is language for hit in near)

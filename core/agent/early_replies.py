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
from core.domain.answer import Answer
from core.domain.question import PRIVATE, Question, SelfTopic
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
    topics = await topics_of(question, parts.about_us)
    if topics and not (is_model and SelfTopic.SPEAK_UP in topics):
        answer = await _about_us(topics, question, passages, parts)
        return EarlyReply(plan=Plan(intent=ABOUT_US), answer=answer)
    if is_model or not use_rag:
        return None
    threshold = parts.limits.relevance_threshold
    if not await _is_unanswerable(question, passages, threshold=threshold):
        return None
    language = language_of(question.text)
    answer = compose.not_in_language(words_in(language), language)
    return EarlyReply(plan=Plan(intent=OTHER_LANGUAGE), answer=answer)


async def _about_us(
    topics: frozenset[SelfTopic], question: Question, passages: DocumentSearch, parts: PipelineParts
) -> Answer:
    """Return what is said about us, beside how to report where that is asked, too."""
    written = spoken(language_of(question.text))
    language = question.language if written is Language.ENGLISH else written
    said = said_of(topics, parts.about_us.deployment, language)
    if SelfTopic.SPEAK_UP not in topics:
        return compose.about_us(said, language, is_private=bool(topics & PRIVATE))
    answer = await ways_to_report(question, passages, parts)
    return compose.with_note(answer, said) if said else answer


async def _is_unanswerable(
    question: Question, passages: DocumentSearch, *, threshold: float
) -> bool:
    """Say whether a question is in a language that neither the rules nor the policies have."""
    language = language_of(question.text)
    if language in _NOT_TOLD or language_of(question.own) in _NOT_TOLD:
        return False
    found = await passages.first()
    relevant = [hit for hit in found.result.hits if hit.relevance >= threshold]
    return not any(language_of(hit.text) is language for hit in relevant)

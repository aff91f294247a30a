"""What is known of the policies of an answer beside their texts, and which are past their review.

After an outcome is worded, before it is recorded. A policy that is past its review date still
holds: the answer says so, and nothing is kept back.
"""

import logging
from dataclasses import replace

from core.agent.reply.compose import altered, with_note
from core.agent.request import PipelineParts
from core.agent.wording import PAST_REVIEW, PAST_REVIEW_OF, RELABELLED, WILL_BE, WILL_END
from core.domain.answer import Answer
from core.domain.policy import AnswerSource, ComingText, PolicyVersion
from core.domain.question import Question
from core.domain.run import Run
from core.language.interface.dates import long_day, long_weekday
from core.language.interface.texts import Text
from core.ports import CorpusReader

TEXT_ALTERED = "text_altered"
"""How the warning of a run begins whose answer was kept back."""
logger = logging.getLogger(__name__)


async def unless_altered(run: Run, corpus: CorpusReader) -> Run:
    """Return a run; one that quotes what was not published so goes to a person, without quotes."""
    quotes = {one.span: one.quote for one in run.answer.citations}
    versions = sorted(await corpus.altered(quotes)) if quotes else []
    if not versions:
        return run
    keys = {it.place.policy_key for it in run.answer.citations if it.span.version_id in versions}
    policies = ", ".join(sorted(keys))
    logger.error(
        "nothing is quoted from %s: the stored text is not the one that was published"
        " (versions %s); `citebound corpus validate` lists what differs",
        policies,
        versions,
    )
    return replace(
        run,
        answer=altered(run.question.language),
        warnings=(*run.warnings, f"{TEXT_ALTERED}: {policies}"),
    )


async def with_sources(question: Question, answer: Answer, parts: PipelineParts) -> Answer:
    """Return an answer with what is known of the policies that it cites or names."""
    cited = {one.place.policy_key for one in answer.citations}
    named = cited | {one.policy_key for one in answer.nearest}
    if not named:
        return answer
    live = [one for one in await parts.corpus.versions(question.scope) if one.metadata.key in named]
    sources = tuple(source_of(one) for one in live)
    answer = replace(answer, sources=sources)
    for version in live:
        if version.relabelled_at is not None and version.metadata.key in cited:
            day = parts.clock.day_of(version.relabelled_at)
            said = version.metadata
            words = RELABELLED.format(label=said.label or "", title=said.title, day=long_day(day))
            answer = with_note(answer, words.of(question.language))
    if answer.citations and parts.about is not None and not question.scope.is_other_day:
        spans = [one.span for one in answer.citations]
        for coming in await parts.about.coming(spans, question.scope):
            answer = with_note(answer, _from_then_on(coming).of(question.language))
    day = question.scope.as_of
    overdue = [
        one
        for one in sources
        if one.policy_key in cited and one.review_by is not None and one.review_by < day
    ]
    for one in overdue:
        words = PAST_REVIEW_OF if one.owner else PAST_REVIEW
        note = words.format(title=one.title, day=str(one.review_by), owner=one.owner or "")
        answer = with_note(answer, note.of(question.language))
    return answer


def _from_then_on(coming: ComingText) -> Text:
    words = WILL_BE if coming.says else WILL_END
    return words.format(
        day=long_weekday(coming.begins),
        says=coming.says,
        title=coming.title,
        label=coming.label,
    )


def source_of(version: PolicyVersion) -> AnswerSource:
    """Return what is known of a policy."""
    said = version.metadata
    return AnswerSource(
        policy_key=said.key,
        title=said.title,
        file_name=version.source_name,
        url=said.url,
        owner=said.owner,
        sensitivity=said.sensitivity,
        review_by=said.review_by,
        verified_by=said.verified_by,
    )

"""The reply to a report of misconduct: something to hold on to, for the asker alone.

In private: the contacts that the deployment names, and what the policies say of reporting, quoted
word for word and read from the database again. Where others may read: a line that says to write
directly, and nothing that tells what the message was about.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.agent.about_us_wording import NO_WAYS_TO_REPORT, WAYS_TO_REPORT
from core.agent.conversation.misconduct import may_only_tell
from core.agent.document_search import REPORTING, DocumentSearch
from core.agent.languages_wording import ReplyWords, words_in
from core.agent.reply import compose
from core.agent.reply.release import nearest_sections
from core.agent.request import PipelineParts
from core.domain.answer import QUOTED, Answer, Citation, Claim, Outcome, RefusalKind
from core.domain.evidence import RetrievedChunk
from core.domain.question import Question
from core.language.languages import language_of
from core.language.sentences import says_something, split_sentences
from core.language.spans import Span
from core.ports import CorpusReader
from core.retrieval.retriever import Retrieved

SENTENCES = 6
"""Sentences that are quoted."""
CHARACTERS = 1_200
"""Characters of them together."""
CHANNELS = "speak up line, hotline, telephone, web, ombudsperson, anonymous reports"
"""What is searched with the question in the policy that says most of reporting."""
DEPTH = 8
"""Passages that tell which policy that is, and that are read of it."""
ALONE = frozenset({"direct", "console"})
"""Modes of places that the asker alone reads."""
_TELLS_HOW = re.compile(
    r"\b(?:report(?:s|ed|ing)?|speak[- ]?up|hot ?line|help ?line|ombuds\w*|anonym\w*|"
    r"confiden\w*|retaliat\w*|concerns?"
    r"|whistle ?blow\w*|good faith|meld\w*|hinweis\w*|vertraulich\w*|repressal\w*|"
    r"vergeltung\w*|signal\w*|alerte\w*"
    r"|représailles|confidentiel\w*|denunci\w*|represalias|confidencial\w*)\b",
    re.IGNORECASE,
)
"""Of the sections that the search finds, the sentences that are about reporting. Used on nothing
else: a sentence too many harms nobody."""


async def speak_up(
    question: Question, passages: DocumentSearch | None, parts: PipelineParts
) -> Answer:
    """Return the reply to a report.

    Args:
        question: The report; nothing of it is searched for.
        passages: Searches for the reporting line; None: there is no search.
        parts: Reads what is quoted, and knows the contacts.
    """
    language = language_of(question.text)
    told = words_in(language)
    if question.place.mode not in ALONE:
        return compose.report_in_public(told, language)
    found = await passages.reporting_line() if passages else None
    return await _told(question, found, parts, told, is_stated=not may_only_tell(question))


async def ways_to_report(
    question: Question, passages: DocumentSearch, parts: PipelineParts
) -> Answer:
    """Return how to report, asked in general: the contacts, and the policy that says most of it."""
    language = question.language
    told = replace(
        words_in(language),
        report=WAYS_TO_REPORT.of(language),
        kept="",
        policies_say="",
        afterwards="",
    )
    found = await passages.search(REPORTING, DEPTH, neighbours=0)
    hits = [one for one in found.result.hits if not passages.is_nothing_relevant(found)]
    keys = Counter(hit.place.policy_key for hit in hits for _ in _TELLS_HOW.finditer(hit.text))
    policies = frozenset(key for key, _ in keys.most_common(1))
    asked = f"{CHANNELS} {question.search_text}"
    said_most = (
        await passages.search(asked, DEPTH, neighbours=0, policies=policies) if policies else None
    )
    answer = await _told(question, said_most, parts, told, is_stated=True)
    answer = replace(answer, is_private=True)
    if answer.claims:
        return replace(answer, outcome=Outcome.ANSWERED, confidence=QUOTED)
    none = answer.text.replace(told.report, NO_WAYS_TO_REPORT.of(language), 1)
    return replace(answer, outcome=Outcome.REFUSED, refusal=RefusalKind.NOT_FOUND, text=none)


async def _told(
    question: Question,
    found: Retrieved | None,
    parts: PipelineParts,
    words: ReplyWords,
    *,
    is_stated: bool,
) -> Answer:
    """Return contacts and quotes, below what is said first."""
    corpus = parts.corpus
    claims = await _quotes(found.result.hits if found else (), question, corpus)
    spans = [one.span for claim in claims for one in claim.citations]
    return compose.reported(
        claims,
        words=words,
        language=language_of(question.text),
        contacts=parts.contacts,
        places=await corpus.places(spans),
        versions={one.version_id: one for one in await corpus.versions(question.scope)},
        nearest=nearest_sections([found], ()) if found else (),
        is_stated=is_stated,
    )


async def _quotes(
    chunks: Sequence[RetrievedChunk], question: Question, corpus: CorpusReader
) -> list[Claim]:
    """Return sentences on reporting, as far as the stored text has them."""
    wanted: dict[Span, str] = {}
    room = CHARACTERS
    for chunk in chunks:
        for one in split_sentences(chunk.text):
            words = one.of(chunk.text)
            is_fit = says_something(words) and _TELLS_HOW.search(words) and len(words) <= room
            if is_fit and len(wanted) < SENTENCES:
                room -= len(words)
                start = chunk.span.char_start
                wanted[
                    Span(
                        version_id=chunk.span.version_id,
                        char_start=start + one.char_start,
                        char_end=start + one.char_end,
                    )
                ] = words
    stored = await corpus.read_spans(sorted(wanted), question.scope)
    return [
        Claim(text=words, citations=(Citation(key=f"r{n}", span=span, quote=words),))
        for n, (span, words) in enumerate(wanted.items(), start=1)
        if stored.get(span) == words
    ]

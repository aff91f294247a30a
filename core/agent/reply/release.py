"""After `decide`: from a ruling to what is shown, with quotes and places from the database.

- A part of a double question counts as left open only if no released claim and no quoted heading
  has any of its telling words: that nothing was found must be certain.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.agent.conversation.asked_language import is_foreign
from core.agent.conversation.referring import needs_subject
from core.agent.conversation.speech import is_statement
from core.agent.decision_input import DecisionInput, Ruling
from core.agent.planning.terms import parts_of
from core.agent.reply import compose
from core.agent.reply.prose import ListLength, closest_passage, lead_ins_of, listed_in
from core.agent.reply.verdict import verdict
from core.agent.request import AskRequest
from core.agent.wording import (
    EITHER,
    GROUPS_UNREAD,
    IN_ENGLISH,
    NO_SURE_ANSWER_TO,
    NOTHING_ON,
    PARTIAL,
    QUOTED_WORD,
    READ_WITH,
    REFUSALS,
    THREAD_UNREAD,
    UNMENTIONED,
    WITHOUT_MODEL,
)
from core.domain.answer import Answer, Badge, Citation, Claim, Decision, Outcome, RefusalKind
from core.domain.evidence import Finding
from core.domain.ontology import SectionRef
from core.domain.question import NOTHING_ASKED, Question, Scope
from core.domain.run import Term
from core.language.content_words import content_words, words
from core.language.interface.texts import spoken
from core.language.languages import Language, language_of
from core.language.phrasing import fits
from core.language.spans import Span
from core.ports import CorpusReader
from core.retrieval.retriever import Retrieved

_LONGEST = 120
"""Characters of a part that is named; a longer one is no question that one could repeat."""
_SHARED_LETTERS = 5
"""Letters with which words of one family begin alike ("approval", "approved")."""


def unanswered(
    question: str,
    claims: Sequence[Claim],
    places: Iterable[SectionRef] = (),
    *,
    left_open: Sequence[str] = (),
    language: Language = Language.ENGLISH,
) -> str | None:
    """Return a remark that names the parts of a question that claims leave open.

    None if every part is answered, none is, or the message asks one thing.

    Args:
        question: The message.
        claims: What answers it.
        places: Where their quotes stand.
        left_open: Parts that whoever drafted the claims left open; see `Draft.left_open`.
        language: Of the remark.
    """
    if left_open:
        asked = [one for one in map(_asked, left_open) if one]
        told = NO_SURE_ANSWER_TO.format(asked="; ".join(asked)) if asked else PARTIAL
        return told.of(language)
    if language_of(question) is not Language.ENGLISH:
        return None
    terms = tuple(Term(word=word, weight=1.0) for word in sorted(content_words(question)))
    parts = [part.text for part in parts_of(question, terms)]
    if len(parts) < 2:  # noqa: PLR2004
        return None
    said = [text for claim in claims for text in (claim.text, *(c.quote for c in claim.citations))]
    named = [text for place in places for text in (place.title, place.policy_title)]
    there = _families(" ".join((*said, *named)))
    left = [part for part in parts if not _families(part) & there]
    if not left or len(left) == len(parts):
        return None
    asked = [one for one in map(_asked, left) if one]
    return NOTHING_ON.format(asked="; ".join(asked)).of(language) if asked else None


def _is_in(claim: Claim, passage: Claim) -> bool:
    """Say whether a passage quotes what a claim rests on."""
    quoted = {cited.span for cited in passage.citations}
    return all(cited.span in quoted for cited in claim.citations)


def _families(text: str) -> frozenset[str]:
    return frozenset(word[:_SHARED_LETTERS] for word in content_words(text))


def _asked(part: str) -> str | None:
    """Return the asker's words, set apart as such; None if they are too many to be repeated."""
    kept = " ".join(part.split()).strip(" ,;?!.")
    first, _, rest = kept.partition(" ")
    kept = rest if words(first) and words(first)[0] in {"and", "but", "so"} else kept
    return f"\u201c{kept}\u201d" if 0 < len(kept) <= _LONGEST else None


NEAREST = 3
"""Sections that a refusal names."""
READ_ON = 4_000
"""Characters after a quoted list item in which the rest of its list is looked for."""
PROBES = 16
"""Places at which the end of a text is looked for at once."""
SHORT = 80
"""Characters of a model's first sentence up to which it needs no shorter one before it."""
OFF_TOPIC = 0.12
"""Relevance below which a question has nothing to do with the corpus."""
OFF_TOPIC_FROM, OFF_TOPIC_FOR_SURE = 0.55, 0.6
"""Likelihood from which a message that is refused counts as none about the company, and from which
one does for which something was found or asked back. Of 7,972 questions about openly licensed
workplace policies 0.6 % and 0.4 % lie above, answered ones included (`evals.fit_off_topic`)."""
OFF_TOPIC_AT_ALL = 0.25
"""Likelihood below which a question is about the company, however little the corpus has to do with
it. Of 55 workplace questions that low relevance alone took for off topic 44 lie below, of the 26
messages off topic in the samples' questions for tuning none."""


async def release(
    situation: DecisionInput,
    ruling: Ruling,
    *,
    question: Question,
    corpus: CorpusReader,
    nearest: Sequence[SectionRef],
    is_modelled: bool,
    missing: str | None = None,
    duties: Sequence[Claim] = (),
) -> Answer:
    """Return the answer, the clarification or the refusal that a ruling calls for.

    Args:
        situation: What was decided on.
        ruling: What was decided.
        question: What was asked.
        corpus: Where quotes have their places.
        nearest: Sections that a refusal names.
        is_modelled: False: the answer says that no language model was called.
        missing: What an answer says that it leaves open; None: nothing.
        duties: Verified claims that a refusal shows too, since they can't wait; they take the place
            of a closest passage.
    """
    asked, language = situation.draft.asked or situation.draft.branch, question.language
    if ruling.decision is Decision.CLARIFY and asked is not None:
        return compose.clarifying(asked, confidence=situation.confidence, language=language)
    is_final = ruling.decision is Decision.FINAL
    is_conflict = ruling.refusal is RefusalKind.CONFLICT
    refused = refusal(
        ruling.refusal or RefusalKind.NOT_FOUND,
        nearest=nearest,
        best_relevance=None if is_foreign(question) else situation.best_relevance,
        reported=situation.confidence.reported,
        needs_person=ruling.needs_person,
        language=language,
    )
    is_about = refused.refusal is not RefusalKind.OUT_OF_SCOPE
    is_closest = ruling.refusal is RefusalKind.NOT_SURE and is_about and not duties
    is_refused = not (is_final or is_conflict or is_closest)
    if is_refused and not (duties and is_about):
        return refused
    claims = duties if is_refused else situation.verified.claims
    places = await corpus.places([one.span for claim in claims for one in claim.citations])
    versions = {version.version_id: version for version in await corpus.versions(question.scope)}
    if is_refused:
        return compose.urgent(refused, duties, places=places, versions=versions)
    without = () if is_modelled else (WITHOUT_MODEL.of(language),)
    if is_closest:
        passage = closest_passage(claims, places)
        return compose.closest(
            passage,
            beside=[claim for claim in situation.amending if not _is_in(claim, passage)],
            confidence=situation.confidence,
            places=places,
            versions=versions,
            nearest=nearest,
            notes=without,
            language=language,
        )
    if is_conflict:
        return compose.conflicting(
            claims,
            confidence=situation.confidence,
            places=places,
            versions=versions,
            notes=without,
            language=language,
        )
    left_open = (
        unanswered(
            question.own,
            claims,
            places.values(),
            left_open=situation.draft.left_open,
            language=language,
        )
        or missing
    )
    place = places[claims[0].citations[0].span] if claims and claims[0].citations else None
    return compose.answered(
        claims,
        confidence=situation.confidence,
        places=places,
        versions=versions,
        assumptions=question.assumptions,
        nearest=nearest,
        notes=(*([left_open] if left_open else ()), *without),
        lists=await _lists(claims, corpus, question.scope),
        language=language,
        verdict=None
        if situation.is_limited or (is_modelled and len(claims[0].text) <= SHORT)
        else verdict(
            question.own,
            claims,
            place=place,
            is_found=situation.confidence.badge is Badge.HIGH,
        ),
    )


async def _lists(
    claims: Sequence[Claim], corpus: CorpusReader, scope: Scope
) -> dict[Span, ListLength]:
    """Count the items of the lists that claims quote from, so that none is taken for the whole."""
    items: dict[Span, Citation] = {}
    for claim in claims:
        lead_ins = lead_ins_of(claim)
        if lead_ins and not fits(lead_ins[-1].quote, claim.citations[-1].quote):
            items[lead_ins[-1].span] = claim.citations[-1]
    found: dict[Span, ListLength] = {}
    for lead_in, item in items.items():
        text = await _read_on(corpus, lead_in, item.span, scope)
        is_cut = len(text) == item.span.char_end + READ_ON - lead_in.char_start
        listed = listed_in(text, introduced_by=lead_in.char_end - lead_in.char_start, is_cut=is_cut)
        if listed is not None:
            found[lead_in] = listed
    return found


async def _read_on(corpus: CorpusReader, lead_in: Span, item: Span, scope: Scope) -> str:
    """Return the stored text from what introduces a list on, to `READ_ON` behind one of its items.

    What ends behind the end of the text is not read at all, so that end is searched for: by one
    query, or a few where the text ends sooner.
    """
    text, read, beyond = "", item.char_end - 1, item.char_end + READ_ON + 1
    while beyond - read > 1:
        step = max(1, (beyond - read - 1) // PROBES)
        ends = {read + 1, *range(beyond - 1, read, -step)}
        spans = [replace(lead_in, char_end=end) for end in ends]
        stored = await corpus.read_spans(sorted(spans), scope)
        if not stored:
            break
        last = max(stored, key=lambda one: one.char_end)
        text, read = stored[last], last.char_end
        beyond = min((end for end in ends if end > read), default=read)
    return text


def missing_words(unmentioned: Sequence[str], language: Language = Language.ENGLISH) -> str:
    """Return how an answer says that it leaves something open.

    Args:
        unmentioned: The asker's own words that no policy in scope has, as code has checked.
        language: Of the note.
    """
    if not unmentioned:
        return PARTIAL.of(language)
    quoted = [QUOTED_WORD.format(word=word).of(language) for word in unmentioned]
    joint = EITHER.of(language)
    named = joint.join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
    return UNMENTIONED.format(words=named).of(language)


def refusal(
    kind: RefusalKind,
    *,
    nearest: Sequence[SectionRef] = (),
    best_relevance: float | None = None,
    reported: float | None = None,
    needs_person: bool = False,
    language: Language = Language.ENGLISH,
) -> Answer:
    """Return a refusal that shows no passage.

    Where nothing found has to do with the question, it is out of scope. What a person should decide
    is escalated, unless it has nothing to do with the policies.
    """
    if best_relevance is not None and best_relevance < OFF_TOPIC:
        kind = RefusalKind.OUT_OF_SCOPE
    elif kind is RefusalKind.NOT_SURE:
        kind = RefusalKind.NOT_FOUND
    shown = replace(compose.NO_CONFIDENCE, reported=reported)
    refused = compose.refused(kind, nearest=nearest, confidence=shown, notes=(), language=language)
    if needs_person and kind is not RefusalKind.OUT_OF_SCOPE:
        return replace(refused, outcome=Outcome.ESCALATED)
    return refused


def stands_alone(question: Question) -> bool:
    """Say whether a message can be judged by its words: all of the question, and in English."""
    is_alone = question.standalone == question.text
    return is_alone and language_of(question.text) is Language.ENGLISH


def may_be_off_topic(answer: Answer) -> bool:
    """Say whether an answer says nothing that a message off topic would lose.

    A duty that can't wait, a contradiction and what is with a person are something.
    """
    if answer.outcome is Outcome.CLARIFICATION:
        return answer.slot not in NOTHING_ASKED
    if answer.refusal is RefusalKind.OUT_OF_SCOPE:
        # Not one that is too long to read.
        return answer.text in REFUSALS[RefusalKind.OUT_OF_SCOPE].each
    kinds = {RefusalKind.NOT_FOUND, RefusalKind.POLICY_SILENT, RefusalKind.NOT_SURE}
    return answer.outcome is Outcome.REFUSED and answer.refusal in kinds


def unless_off_topic(answer: Answer, likelihood: float) -> Answer:
    """Return an answer, or that a message is none about policies: without a case to be opened.

    What was taken for that by its relevance alone, and is about the company, was not found.

    Args:
        answer: One that `may_be_off_topic`.
        likelihood: See `core.ports.text_models.OffTopic`.
    """
    language = spoken(answer.language)
    if answer.refusal is RefusalKind.OUT_OF_SCOPE and likelihood < OFF_TOPIC_AT_ALL:
        return refusal(
            RefusalKind.NOT_FOUND, reported=answer.confidence.reported, language=language
        )
    is_surely_needed = answer.refusal is not RefusalKind.NOT_FOUND
    if likelihood < (OFF_TOPIC_FOR_SURE if is_surely_needed else OFF_TOPIC_FROM):
        return answer
    return refusal(RefusalKind.OUT_OF_SCOPE, reported=answer.confidence.reported, language=language)


def remarked(question: Question, answer: Answer, request: AskRequest) -> Answer:
    """Ask who only told something what they would like to know; say what was read, and what not."""
    language = question.language
    if request.are_groups_unread:
        answer = compose.with_note(answer, GROUPS_UNREAD.of(language))
    is_refused = answer.refusal not in {None, RefusalKind.CONFLICT}
    is_urgent = bool(answer.claims) and not answer.is_closest
    if is_refused and not is_urgent and is_statement(question):
        return compose.unasked(language)
    if is_refused and language_of(question.text) is Language.OTHER:
        answer = compose.with_note(answer, IN_ENGLISH.of(language))
    if question.referent and answer.outcome is not Outcome.CLARIFICATION:
        return compose.with_note(answer, READ_WITH.of(language))
    is_lost = request.is_unread and needs_subject(question.own)
    return compose.with_note(answer, THREAD_UNREAD.of(language)) if is_lost else answer


def nearest_sections(
    retrieved: Sequence[Retrieved], findings: Sequence[Finding]
) -> list[SectionRef]:
    """Name the sections nearest to a question.

    Those of chunks if any were retrieved, else those of findings; each once.
    """
    places = [hit.place for found in retrieved[:1] for hit in found.result.hits]
    places = places or [finding.place for finding in findings]
    return list(dict.fromkeys(replace(place, page=None) for place in places))[:NEAREST]

"""After `decide`: what a person is shown, from claims whose quotes were read from the database.

Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agent.conversation.small_talk import SmallTalk
from core.agent.languages_wording import ReplyWords
from core.agent.reply.numbering import assumed, numbered, text_of, unquoted
from core.agent.reply.prose import ListLength
from core.agent.reply.text_blocks import BULLET
from core.agent.wording import (
    ALL_OPTION,
    ASK_A_PERSON,
    ASK_DIRECTLY,
    IF_IT_DOES_NOT,
    NOT_ANSWERED_YET,
    NOT_KNOWN,
    NOT_PASSED_ON,
    NOTHING_SURER,
    PASSED_ON,
    REFUSALS,
    SMALL_TALK,
    TEXT_IS_ALTERED,
    TOO_LONG,
    UNASKED,
    URGENT,
    WHAT_TO_ASK,
)
from core.domain.answer import (
    Answer,
    Branch,
    Claim,
    Confidence,
    Outcome,
    RefusalKind,
)
from core.domain.officers import SpeakUpContacts
from core.domain.ontology import SectionRef
from core.domain.policy import PolicyVersion
from core.domain.question import ABOUT_US_SLOT, UNASKED_SLOT, Assumption
from core.domain.run import Clarification
from core.language.interface.texts import Text, as_it_is, spoken
from core.language.languages import Language
from core.language.spans import Span, VersionId

NO_CONFIDENCE = Confidence(reported=None, calibrated=None, badge=None, is_calibrated=False)


def answered(
    claims: Sequence[Claim],
    *,
    confidence: Confidence,
    places: Mapping[Span, SectionRef],
    versions: Mapping[VersionId, PolicyVersion],
    assumptions: Sequence[Assumption],
    notes: Sequence[str],
    nearest: Sequence[SectionRef] = (),
    lists: Mapping[Span, ListLength] | None = None,
    verdict: Claim | None = None,
    language: Language = Language.ENGLISH,
) -> Answer:
    """Return a released answer; claims beyond the size limit are left out whole.

    It begins with the `verdict`, where there is one, as a paragraph of its own.

    Of `nearest` it names the sections that it does not quote: one may ask for them next. `lists`
    are the lists that it quotes from, by the span of what introduces them.
    """
    said, shown, citations = numbered([*([verdict] if verdict else []), *claims], places, versions)
    paragraphs = (
        [text_of([verdict], citations), text_of(said[1:], citations, lists)] if verdict else []
    )
    return Answer(
        outcome=Outcome.ANSWERED,
        text="\n\n".join(paragraphs) or text_of(said, citations, lists),
        claims=shown,
        citations=citations,
        confidence=confidence,
        nearest=unquoted(nearest, citations),
        assumptions=assumed(assumptions),
        notes=tuple(notes),
        language=language.value,
    )


def conflicting(
    claims: Sequence[Claim],
    *,
    confidence: Confidence,
    places: Mapping[Span, SectionRef],
    versions: Mapping[VersionId, PolicyVersion],
    notes: Sequence[str],
    language: Language = Language.ENGLISH,
) -> Answer:
    """Return a refusal that shows both sides of a contradiction."""
    said, shown, citations = numbered(claims, places, versions)
    words = "\n\n".join(text_of([claim], citations) for claim in said)
    return Answer(
        outcome=Outcome.REFUSED,
        text="\n\n".join(
            (REFUSALS[RefusalKind.CONFLICT].of(language), words, ASK_A_PERSON.of(language))
        ),
        claims=shown,
        citations=citations,
        confidence=confidence,
        refusal=RefusalKind.CONFLICT,
        nearest=tuple(dict.fromkeys(citation.place for citation in citations)),
        notes=tuple(notes),
        language=language.value,
    )


def closest(
    passage: Claim,
    *,
    beside: Sequence[Claim] = (),
    confidence: Confidence,
    places: Mapping[Span, SectionRef],
    versions: Mapping[VersionId, PolicyVersion],
    nearest: Sequence[SectionRef],
    notes: Sequence[str],
    language: Language = Language.ENGLISH,
) -> Answer:
    """Return the closest passage, quoted, to be judged by whoever asked.

    It has no badge: what is not sure is not graded. The numbers are kept with the record. What
    amends it stands beside it.
    """
    _, shown, citations = numbered([passage, *beside], places, versions)
    quoted = [
        f"{claim.text} {''.join(f'[{number}]' for number in claim.numbers)}" for claim in shown
    ]
    said = (REFUSALS[RefusalKind.NOT_SURE].of(language), *quoted, IF_IT_DOES_NOT.of(language))
    return Answer(
        outcome=Outcome.REFUSED,
        text="\n".join(said),
        claims=shown,
        citations=citations,
        confidence=replace(confidence, badge=None),
        refusal=RefusalKind.NOT_SURE,
        nearest=unquoted(nearest, citations),
        notes=tuple(notes),
        language=language.value,
    )


def refused(
    kind: RefusalKind,
    *,
    nearest: Sequence[SectionRef],
    confidence: Confidence,
    notes: Sequence[str],
    language: Language = Language.ENGLISH,
) -> Answer:
    """Return a refusal with the nearest sections and the way to a person."""
    near = () if kind is RefusalKind.OUT_OF_SCOPE else tuple(nearest)
    words = REFUSALS[kind].of(language)
    is_off = kind is RefusalKind.OUT_OF_SCOPE
    return Answer(
        outcome=Outcome.REFUSED,
        text=words if is_off else f"{words} {ASK_A_PERSON.of(language)}",
        confidence=confidence,
        refusal=kind,
        nearest=near,
        notes=tuple(notes),
        language=language.value,
    )


def altered(language: Language = Language.ENGLISH) -> Answer:
    """Return the refusal to quote what is not the text that was published: a person answers."""
    text = f"{TEXT_IS_ALTERED.of(language)} {ASK_A_PERSON.of(language)}"
    escalated = _plain(Outcome.ESCALATED, TEXT_IS_ALTERED, language)
    return replace(escalated, text=text, refusal=RefusalKind.NOT_FOUND)


def urgent(
    refusal: Answer,
    duties: Sequence[Claim],
    *,
    places: Mapping[Span, SectionRef],
    versions: Mapping[VersionId, PolicyVersion],
) -> Answer:
    """Return a refusal that first says what can't wait, and goes to a person."""
    said, shown, citations = numbered(duties, places, versions)
    language = spoken(refusal.language)
    below = f"{NOTHING_SURER.of(language)} {ASK_A_PERSON.of(language)}"
    return replace(
        refusal,
        outcome=Outcome.ESCALATED,
        text="\n\n".join((URGENT.of(language), text_of(said, citations), below)),
        claims=shown,
        citations=citations,
    )


def with_note(answer: Answer, note: str) -> Answer:
    """Return an answer with one more note; a question back has no place for notes but its text."""
    if answer.outcome is Outcome.CLARIFICATION:
        return replace(answer, text=f"{answer.text} {note}")
    return replace(answer, notes=(*answer.notes, note))


def with_first_note(answer: Answer, note: str) -> Answer:
    """Return an answer with one more note, before all others; see `with_note`."""
    if answer.outcome is Outcome.CLARIFICATION:
        return replace(answer, text=f"{note}\n\n{answer.text}")
    return replace(answer, notes=(note, *answer.notes))


def passed_on(answer: Answer, number: int) -> Answer:
    """Return a refusal whose question is with Compliance as case `number` already."""
    language = spoken(answer.language)
    words = PASSED_ON.format(number=number).of(language)
    text = f"{answer.text.removesuffix(ASK_A_PERSON.of(language))}{words}"
    return replace(answer, text=text, case_number=number)


def not_passed_on(answer: Answer) -> Answer:
    """Return a refusal whose asker has to send the question on, as too many went by themselves."""
    language = spoken(answer.language)
    ask = ASK_A_PERSON.of(language)
    words = f"{NOT_PASSED_ON.of(language)} {ask}"
    return replace(answer, text=f"{answer.text.removesuffix(ask)}{words}")


def clarifying(
    asked: Clarification | Branch,
    *,
    confidence: Confidence = NO_CONFIDENCE,
    language: Language = Language.ENGLISH,
) -> Answer:
    """Return a question back."""
    told_all = f"{asked.question} {ALL_OPTION.of(language)}"
    text = told_all if isinstance(asked, Branch) else asked.question
    return Answer(
        outcome=Outcome.CLARIFICATION,
        text=text,
        confidence=Confidence(
            reported=confidence.reported, calibrated=None, badge=None, is_calibrated=False
        ),
        slot=asked.slot,
        options=asked.options,
        language=language.value,
    )


def reported(
    claims: Sequence[Claim],
    *,
    words: ReplyWords,
    language: Language,
    contacts: SpeakUpContacts,
    places: Mapping[Span, SectionRef],
    versions: Mapping[VersionId, PolicyVersion],
    nearest: Sequence[SectionRef],
    is_stated: bool = True,
) -> Answer:
    """Return the reply to a report, for the asker alone: ways to report, and what policies say.

    Unless it is stated that something is wrong, the reply leaves open whether it is a report.
    """
    said, shown, citations = numbered(claims, places, versions)
    told = (
        (words.line, contacts.line),
        (words.person, contacts.person),
        (words.anonymous, contacts.anonymous),
    )
    ways = "\n".join(f"{BULLET}{label}: {way}" for label, way in told if way)
    quotes = "\n".join(
        f"{BULLET}\u201c{one.text}\u201d {''.join(f'[{n}]' for n in claim.numbers)}"
        for one, claim in zip(said, shown, strict=True)
    )
    quoted = f"{words.policies_say}\n{quotes}".strip() if quotes else ""
    first = words.report if is_stated else words.report_or_question
    parts = (first, words.kept, ways, quoted, words.afterwards)
    return Answer(
        outcome=Outcome.ESCALATED,
        text="\n\n".join(filter(None, parts)),
        claims=shown,
        citations=citations,
        confidence=NO_CONFIDENCE,
        nearest=unquoted(nearest, citations),
        language=language.value,
    )


def report_in_public(words: ReplyWords, language: Language) -> Answer:
    """Return all that is said of a report where others may read: it names nothing."""
    return Answer(
        outcome=Outcome.ESCALATED,
        text=words.report_in_public,
        confidence=NO_CONFIDENCE,
        language=language.value,
    )


def not_in_language(words: ReplyWords, language: Language) -> Answer:
    """Return the refusal of a question that only a language model could answer, in its language."""
    return Answer(
        outcome=Outcome.REFUSED,
        text=f"{words.not_in_language}\n\n{words.or_report}",
        confidence=NO_CONFIDENCE,
        refusal=RefusalKind.LANGUAGE,
        language=language.value,
    )


def failed(language: Language = Language.ENGLISH) -> Answer:
    """Return the reply when something broke."""
    return _plain(Outcome.FAILED, NOT_ANSWERED_YET, language)


def greeting(language: Language = Language.ENGLISH) -> Answer:
    """Return the reply to a message without a word."""
    asked = _plain(Outcome.CLARIFICATION, WHAT_TO_ASK, language)
    return replace(asked, slot="referent")


def small_talk_reply(kind: SmallTalk, language: Language = Language.ENGLISH) -> Answer:
    """Return the reply to small talk; what comes next stands alone."""
    return replace(_plain(Outcome.CLARIFICATION, SMALL_TALK[kind], language), slot=UNASKED_SLOT)


def about_us(words: str, language: Language, *, is_private: bool) -> Answer:
    """Return the reply to a question about the assistant itself, in words of ours."""
    reply = _plain(Outcome.CLARIFICATION, as_it_is(words), language)
    return replace(reply, slot=ABOUT_US_SLOT, is_private=is_private)


def unasked(language: Language = Language.ENGLISH) -> Answer:
    """Return the reply to a message that asks nothing and that no policy speaks of."""
    return replace(_plain(Outcome.CLARIFICATION, UNASKED, language), slot=UNASKED_SLOT)


def too_long(limit: int, language: Language = Language.ENGLISH) -> Answer:
    """Return the reply to a message that is longer than what is read."""
    return _turned_away(RefusalKind.OUT_OF_SCOPE, TOO_LONG.format(limit=limit), language)


def not_here(language: Language = Language.ENGLISH) -> Answer:
    """Return the reply where others read who may not: ask in private."""
    return _turned_away(RefusalKind.NOT_PERMITTED, ASK_DIRECTLY, language)


def not_permitted(language: Language = Language.ENGLISH) -> Answer:
    """Return the reply to somebody who may not ask: the same words whatever was asked."""
    words = REFUSALS[RefusalKind.NOT_PERMITTED]
    return _turned_away(RefusalKind.NOT_PERMITTED, words, language)


def not_known(language: Language = Language.ENGLISH) -> Answer:
    """Return the reply to a guest while it can't be told whether they may ask."""
    return _turned_away(RefusalKind.NOT_PERMITTED, NOT_KNOWN, language)


def _turned_away(kind: RefusalKind, words: Text, language: Language) -> Answer:
    return replace(_plain(Outcome.REFUSED, words, language), refusal=kind)


def _plain(outcome: Outcome, words: Text, language: Language) -> Answer:
    return Answer(
        outcome=outcome,
        text=words.of(language),
        confidence=NO_CONFIDENCE,
        language=language.value,
    )

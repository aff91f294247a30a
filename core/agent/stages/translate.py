"""After `release`: an answer in the asker's language, beside the statements that were verified.

What an answer states was verified in the language of the policies, and stays in it. A model
translates each statement; the translation is held to what code can compare
(`core.grounding.renderings`), then translated back by a call that sees nothing but it, and the text
that comes back is held against the statement by the same checks as any claim. Whatever fails, takes
too long or can't be paid for is not shown: the statement itself is, in its place.

No such answer has a high badge: that a translation says the same is not proven, and what stands
behind a badge was measured in English.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.agent.conversation.asked_language import TOLD_APART, asked_language, is_foreign
from core.agent.languages_wording import NAMES_IN_ENGLISH, words_in
from core.agent.reply.rendered import in_language
from core.domain.answer import Answer, Badge, Outcome
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.json_value import Json
from core.domain.question import Question
from core.grounding.renderings import changed_in, read_back_differs
from core.language.languages import Language, language_of
from core.ports import Reasoner

Note = Callable[[str, Mapping[str, Json]], None]


async def translated(
    reasoner: Reasoner | None, question: Question, answer: Answer, *, note: Note
) -> Answer:
    """Return an answer as whoever asked can read it; the same one where it can be read already.

    Args:
        reasoner: Translates; None: nobody does, and what is stated is quoted.
        question: What was asked.
        answer: What was released.
        note: Told what was translated and what was not, for the trace.
    """
    asker = asked_language(question)
    foreign = _foreign(answer, asker)
    if asker is Language.ENGLISH and not foreign:
        return _at_most_medium(answer) if is_foreign(question) else answer
    if answer.outcome is not Outcome.ANSWERED or answer.precedent is not None:
        is_read = answer.outcome is not Outcome.REFUSED or answer.language == asker.value
        said = "" if is_read else words_in(asker).no_answer
        return replace(answer, notes=(said, *answer.notes)) if said and reasoner else answer
    if reasoner is None:
        return _at_most_medium(answer)
    renderings, failed = await _renderings(reasoner, foreign, asker)
    note("translate", {"into": asker.value, "shown": len(renderings), "failed": list(failed)})
    return _at_most_medium(in_language(answer, renderings, asker, is_foreign=bool(foreign)))


def _foreign(answer: Answer, asker: Language) -> Sequence[str]:
    """Return the statements that are in another language than the asker's, each once."""
    texts = dict.fromkeys(claim.text for claim in answer.claims)
    return [one for one in texts if _is_foreign(language_of(one), asker)]


def _is_foreign(said: Language, asker: Language) -> bool:
    return said is not asker and bool({said, asker} & TOLD_APART) and said is not Language.OTHER


async def _renderings(
    reasoner: Reasoner, texts: Sequence[str], asker: Language
) -> tuple[dict[str, str], list[str]]:
    """Return the renderings that may be shown, by statement, and why others may not."""
    if not texts:
        return {}, []
    try:
        given = await reasoner.translate(texts, into=NAMES_IN_ENGLISH[asker])
    except (ContractError, ModelUnavailableError) as error:
        return {}, [f"not translated: {error}"]
    failed: list[str] = []
    kept: dict[str, str] = {}
    for text, rendering in zip(texts, given, strict=True):
        changed = changed_in(rendering, text, wanted=asker)
        if changed is None:
            kept[text] = rendering
        else:
            failed.append(changed)
    for said in sorted({language_of(text) for text in kept}):
        ours = [text for text in kept if language_of(text) is said]
        for text, differs in zip(ours, await _read_back(reasoner, ours, kept, said), strict=True):
            if differs is not None:
                del kept[text]
                failed.append(differs)
    return kept, failed


async def _read_back(
    reasoner: Reasoner, texts: Sequence[str], renderings: Mapping[str, str], said: Language
) -> Sequence[str | None]:
    """Return for each statement how its rendering differs from it, translated back."""
    shown = [renderings[text] for text in texts]
    try:
        read = await reasoner.translate(shown, into=NAMES_IN_ENGLISH[said])
    except (ContractError, ModelUnavailableError) as error:
        return [f"not read back: {error}"] * len(texts)
    return [read_back_differs(*both) for both in zip(read, texts, strict=True)]


def _at_most_medium(answer: Answer) -> Answer:
    if answer.confidence.badge is not Badge.HIGH:
        return answer
    return replace(answer, confidence=replace(answer.confidence, badge=Badge.MEDIUM))

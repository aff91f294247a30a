"""An answer with the renderings of its statements in another language above them.

What was verified stays whole below: its words, marks and lists are those of any answer.
"""

from collections.abc import Mapping
from dataclasses import replace

from core.agent.languages_wording import LANGUAGE_NAMES, words_in
from core.agent.reply.text_blocks import BULLET
from core.domain.answer import Answer
from core.language.languages import Language, language_of

BOTH = 2_900
"""Characters up to which the verified statements stand below their renderings; beyond, only in the
evidence. Teams shows 3,000 characters of an answer, and Slack a thousand more."""


def in_language(
    answer: Answer, renderings: Mapping[str, str], asker: Language, *, is_foreign: bool
) -> Answer:
    """Return an answer with renderings of its statements, which a note says are translations.

    Args:
        answer: What was released.
        renderings: By statement; one without a rendering is shown as it is.
        asker: The language of whoever asked, and of the renderings.
        is_foreign: True if statements are in another language than the asker's.
    """
    words = words_in(asker)
    if not renderings:
        return replace(answer, notes=(words.untranslated, *answer.notes)) if is_foreign else answer
    shown = [
        f"{renderings.get(claim.text, claim.text)} {''.join(f'[{n}]' for n in claim.numbers)}"
        for claim in answer.claims
    ]
    above = shown[0] if len(shown) == 1 else "\n".join(f"{BULLET}{one}" for one in shown)
    said = language_of(next(iter(renderings)))
    header = words.verified_words.format(language=LANGUAGE_NAMES[asker][said])
    both = f"{above}\n\n{header}\n\n{answer.text}"
    is_whole = all(claim.text in renderings for claim in answer.claims)
    notes = [words.translation, *([] if is_whole else [words.partly_translated]), *answer.notes]
    return replace(
        answer,
        text=both if len(both) <= BOTH else above,
        claims=tuple(
            replace(claim, rendering=renderings.get(claim.text, "")) for claim in answer.claims
        ),
        notes=tuple(notes),
    )

"""Whether a statement is about what it cites at all: the coarsest of the checks, and the last.

It finds a statement that was made up and hung on a passage that happened to be at hand. A passage
about the same thing that says something else is for the other checks, and for the reviewers.
"""

from collections.abc import Sequence

from core.language.content_words import content_words

LEAST = 0.2
"""Share of a statement's words that its sources must have. Our own choice: a faithful paraphrase
keeps the nouns of its source and stays above a half, an unrelated statement shares a word at most.
"""
_COMMON = 4
"""Letters from which two words that begin alike are of one family ("approval", "approved")."""


def unsupported(text: str, sources: Sequence[str]) -> str | None:
    """Return what is wrong if a statement has too little of its sources; None if nothing.

    Args:
        text: The statement; one without a telling word says nothing that could be wrong.
        sources: The cited text, and the names of the places where it stands.
    """
    said = content_words(text)
    there = content_words(" ".join(sources))
    families = {word[:_COMMON] for word in there if len(word) >= _COMMON}
    shared = {word for word in said if word in there or word[:_COMMON] in families}
    if not said or len(shared) >= LEAST * len(said):
        return None
    missing = ", ".join(sorted(said - shared)[:_COMMON])
    return f"the cited text does not speak of this: {missing}"

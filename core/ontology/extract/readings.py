"""What of a statement is read for rules: its own words, or those of what introduces it too."""

import re
from dataclasses import dataclass

from core.language.modality import ModalClause
from core.ontology.extract.clauses import main_clauses
from core.ontology.extract.not_forbidding import is_which
from core.ontology.extract.statements import Statement

_CASE = re.compile(
    r"(?:if|when|whenever|unless|once|in the event|provided that)\b[^,]*,", re.IGNORECASE
)
"""For an item that says when its act is due ("if they are ill, stay at home")."""
OPENS_CONDITIONS = re.compile(
    r"\b(?:unless|only (?:if|when|where)|if|provided that)"
    r"(?:\b[^.,;]{0,80}\b(?:following|these|either|both|below|met|fulfilled|satisfied|appl(?:y|ies)"
    r"|true|conditions?|criteria|cases?|circumstances|by|that|the|is|are|was|has|have|you|they|we"
    r"|it))?$",
    re.IGNORECASE,
)
"""The end of a lead-in after which each item is a condition ("unless all of these are met:")."""
_OF_WHICH_THING = re.compile(
    r"\A\W*(?!(?:if|when|where|once|unless|while|before|after|note|please|ensure|remember)\b)"
    r"[A-Za-z][a-z]+\s(?:[\w'\u2019-]+\s){0,8}?(?!(?:if|when|that|and|but|or|because|so|then|as"
    r"|until|unless|before|after|note|ensure|remember|understand|agree|acknowledge|confirm|believe"
    r"|think|say|means|know|where|while|once)\s)[a-z]+\s"
    r"(?:they|you|we|he|she|it|(?:your|our|their|his|her)\s[\w-]+)\s(?:(?:are|is|will)\s)?\Z",
    re.IGNORECASE,
)
"""Before a verb of a clause that no word marks, in an item ("access systems they")."""
_OWN_VERB = re.compile(
    r"\A(?:[\w -]{1,20}:\s)?[\w\s'\u2019-]{0,60}\b(?:will|won['\u2019]t)\b", re.IGNORECASE
)
"""In an item: a sentence of its own, which its lead-in does not end ("must: ... IT will pay")."""
_DETAILS = re.compile(
    r"\b(?:information|documents?|details|items|data|fields|papers)\b[^.:]{0,60}$", re.IGNORECASE
)
"""The end of a lead-in that asks for things: a sentence below it is no thing."""
_PHRASE = 5
"""Words of a thing that may end in a full stop."""
_OWN_SENTENCE = re.compile(
    r"[A-Z][\w ()'\u2019-]{0,60}\s(?:is|are)\s(?:all|the|an?|any|those|not)\b"
)
"""An item that is a sentence of its own."""
_BASE_VERBS = frozenset({"recommend", "permit", "allow", "require", "need", "expect"})
"""At the beginning of an item these are the act ("you may not: ... recommend it to others")."""
_LABEL = re.compile(r"^[A-Z][\w &/,'\u2019()-]{2,60}:\s+(?=[A-Z])")
_LEFT_OPEN = re.compile(r"\W*(?:optional(?:ly)?|if you (?:like|want|wish))\b", re.IGNORECASE)
"""How an item begins that its lead-in does not make a duty."""
_TOLD_BELOW = re.compile(
    r"\b(?:is|are) (?:outlined|described|listed|explained|detailed|defined|set out|given|shown"
    r"|found)\b[^.]{0,40}\b(?:below|above|here|in (?:the )?(?:section|appendix|annex|chapter"
    r"|table))\b",
    re.IGNORECASE,
)
"""In an item: where something is to be read."""
_POINTS_ON = re.compile(r"\b(?:following|these)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementReading:
    """What of a statement is read for rules."""

    text: str
    """Its words, or those after what introduces it."""
    clauses: list[ModalClause]
    """The main clauses of that text that may be rules."""
    is_inherited: bool = False
    """True where what introduces it makes a rule of it."""


def reading_of(statement: Statement) -> StatementReading:
    """Return what of a statement is read: with its introduction where that makes a rule of it."""
    text = _LABEL.sub("", statement.words, count=1)
    clauses = main_clauses(text)
    lead_in = statement.lead_in_words
    if lead_in and all(_is_of_a_noun(text, clause) for clause in clauses):
        clauses = []
    is_own = bool(clauses) and _CASE.match(text) is not None
    if OPENS_CONDITIONS.search(lead_in) and not is_own:
        whole = statement.sentence
        return StatementReading(
            text=whole, clauses=_begun_by(whole, len(lead_in) + 1), is_inherited=True
        )
    if not clauses and lead_in and _is_introduced(text, statement.introductions[-1]):
        whole = _introduced(statement)
        clauses = _begun_by(whole, len(whole) - len(statement.words))
        return StatementReading(text=whole, clauses=clauses, is_inherited=True)
    return StatementReading(text=text, clauses=clauses)


def _is_introduced(text: str, lead_in: str) -> bool:
    """Return whether an item may be what its lead-in demands, forbids or allows."""
    if lead_in.endswith(".") and not _POINTS_ON.search(lead_in):
        return False  # a sentence that is whole without the item
    if _OWN_SENTENCE.match(text) and not lead_in.endswith(" that"):
        return False
    if text.endswith(".") and _DETAILS.search(lead_in) and len(text.split()) > _PHRASE:
        return False
    return not (_OWN_VERB.search(text) or _LEFT_OPEN.match(text) or _TOLD_BELOW.search(text))


def _begun_by(text: str, end: int) -> list[ModalClause]:
    """Return the last main clause whose modal expression begins before an offset, if any."""
    clauses = [one for one in main_clauses(text) if one.trigger and one.trigger.char_start < end]
    return clauses[-1:]


def words_after(reading: StatementReading, clause: ModalClause) -> str:
    """Return what a clause says behind its modal expression."""
    if clause.trigger is None:
        return ""
    text = reading.text
    end = len(text) if reading.is_inherited else clause.span.char_end
    return text[clause.trigger.char_end : end]


def _is_of_a_noun(text: str, clause: ModalClause) -> bool:
    """Return whether a verb in an item only says which thing is meant ("rooms they may use")."""
    if clause.trigger is None:
        return False
    ahead = text[: clause.trigger.char_start]
    if clause.trigger.of(text).casefold() in _BASE_VERBS and not ahead.strip(" (\"'"):
        return True
    behind = text[clause.trigger.char_end : clause.span.char_end]
    return _OF_WHICH_THING.search(ahead) is not None or is_which(
        clause.trigger.of(text), ahead=ahead, after=behind
    )


def _introduced(statement: Statement) -> str:
    """Return a statement after what makes a rule of it, and not after all that stands above."""
    said = statement.introductions
    start = next((at for at in reversed(range(len(said))) if main_clauses(said[at])), 0)
    return " ".join((*said[start:], statement.words))

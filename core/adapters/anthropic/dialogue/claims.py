"""Parse the text of a reply into claims: one for each sentence, with the spans it cites.

- A sentence has the citations of each part of the reply that contains a word of it.
- A list item and its lead-in are one claim.
- A heading or a transition without a citation is not a claim. Every other sentence is, cited or
  not: `verify` drops unsupported ones explicitly, and none gets into the answer unchecked.
- A quote is taken from the stored text; what the model quotes is ignored.
- Citation marks stand in for native citations, and closing lines state what is missing.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.adapters.anthropic.api.api_types import CitedBlocks, ModelReply, TextPart
from core.adapters.anthropic.dialogue.dialogue import CitableSource, is_introduced, source_of
from core.adapters.anthropic.dialogue.tools import askable, usable_options
from core.domain.answer import Branch, Citation, Claim
from core.domain.evidence import Evidence, EvidenceItem
from core.language.modality import Modality, modality
from core.language.quantities import quantities
from core.language.sentences import split_sentences
from core.language.spans import Span, VersionId

MISSING = 300
"""Characters kept of the missing information."""
_SLOT = 80
_CHOICE = 2
_LINE = re.compile(r"CONFLICT|MISSING: *(?P<missing>\S.*)|ASK: *(?P<ask>\S.*)")
HOW_TO_CITE = (
    "Cite by marks: at the end of each sentence, write the marks of the sentences of the evidence"
    " that it rests on, like this [c3] or this [c1][c4]."
)
_MARKS = re.compile(
    r"(?:(?<!\s)\s++)?\[\s*+c\d++(?:\s*+[,;]\s*+c\d++)*+\s*+\](?!\()", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+")
_MOST_DIGITS = 6
HEADING = 8
"""Words of a heading, at most."""
STATEMENTS = 60
"""Sentences read of a reply; one claim that says how many were left replaces the rest."""
NOWHERE = Span(version_id=VersionId(0), char_start=0, char_end=1)
"""Span of a citation that refers to nothing: no version has this number."""
_ITEM = re.compile(r"(?:[-*+\u2022\u2013]|\(?[a-z0-9]{1,2}[.)])\s+", re.IGNORECASE)
_MARKUP = re.compile(r"\*\*|__|`|^#{1,6}\s+|^>\s+")
_TRANSITION = re.compile(
    r"(?:yes|no)[.!]|(?:here(?: is| are|\u2019s|'s)|the following)\b[^.]{0,80}[.:]", re.IGNORECASE
)
_ABBREVIATED = "".join(
    rf"(?<!\b{word})"
    for word in [
        "approx",
        "incl",
        "excl",
        "resp",
        "etc",
        "max",
        "min",
        "dept",
        "vs",
        "no",
        "eg",
        "ie",
        "al",
        "st",
        "co",
        "ca",
    ]
)
_RUN_ON = re.compile(
    rf"(?<=[a-z]{{2}})(?:{_ABBREVIATED}\.|[!?])(?=[A-Z])\s?"
    rf"|(?<=[a-z]{{2}})(?:{_ABBREVIATED}\.|[!?])\s*(?=[a-z])"
    r"|(?<=[\d)\]\"'])[.!?](?=[A-Za-z])"
    r"|[\u3002\uff01\uff0e\uff1f](?=\S)"
)
"""The end of a sentence after which the next one begins without a space or a capital letter."""
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_ENDS = re.compile(r"[.!?\u2026][\"')\]\u201d\u2019*_]*$")
Locate = Callable[[CitedBlocks], tuple[CitableSource, Sequence[Span]] | None]
"""Returns source and spans of cited blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """One sentence of a reply."""

    text: str
    """Without markup."""
    citations: tuple[CitedBlocks, ...]
    """Its sources, according to the model."""


def text_parts(reply: ModelReply) -> tuple[TextPart, ...]:
    """Return the text of a reply; text before and after a tool call is two paragraphs.

    Sentences without a space or a capital letter between them are separated, so that one can't pass
    by the citations of the other.
    """
    parts: list[TextPart] = []
    before = ""
    for part in reply.parts:
        if not isinstance(part, TextPart):
            parts += [TextPart(text="\n\n")] if parts else []
            continue
        text = _RUN_ON.sub(_set_apart, _INVISIBLE.sub("", part.text))
        if text and _ENDS.search(before) and not text[0].isspace():
            parts.append(TextPart(text="\n\n"))
        parts.append(replace(part, text=text))
        before = text or before
    return tuple(parts)


def _set_apart(end: re.Match[str]) -> str:
    return f"{end[0].rstrip()}\n\n"


def cited_sentences(
    parts: Sequence[TextPart], *, length: int | None = None, is_cut: bool = False
) -> tuple[CitedSentence, ...]:
    """Split the text of a reply into sentences.

    Args:
        parts: The text.
        length: Characters to read; None: all.
        is_cut: True if the reply was cut off: an unfinished sentence is left out.
    """
    text = "".join(part.text for part in parts)[:length]
    found: list[CitedSentence] = []
    lead_in: CitedSentence | None = None
    introduces = False
    units = split_sentences(text)
    for unit in units:
        raw = unit.of(text)
        if is_cut and unit is units[-1] and not _ENDS.search(raw):
            break
        citations = _citations(parts, unit.char_start, unit.char_end)
        item = _ITEM.match(raw)
        if item and lead_in:
            if introduces:
                found.pop()
                introduces = False
            text_ = f"{lead_in.text} {_plain(raw[item.end() :])}"
            both = tuple(dict.fromkeys((*lead_in.citations, *citations)))
            found.append(CitedSentence(text=text_, citations=both))
            continue
        one = CitedSentence(text=_plain(raw[item.end() :] if item else raw), citations=citations)
        introduces = one.text.endswith(":")
        lead_in = one if introduces else None
        found.append(one)
    return _bounded([one for one in found if one.text and not _says_nothing(one)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What an answer states about itself in its closing lines."""

    length: int
    """Characters of the answer before its closing lines."""
    is_present: bool = False
    """True if there is a closing line."""
    is_conflict: bool = False
    """See `Draft.is_conflict`."""
    missing: str | None = None
    """See `Draft.missing`."""
    branch: Branch | None = None
    """See `Draft.branch`; None also if its question may not be shown."""


def closing_of(text: str, *, known: Sequence[str]) -> Closing:
    """Read the closing lines from the end of a text; the first other line ends them.

    Args:
        text: A whole answer.
        known: The texts so far: a question back may name no figure that is not in them.
    """
    end = len(text.rstrip())
    missing: str | None = None
    branch: Branch | None = None
    is_conflict = is_present = False
    while end:
        start = text.rfind("\n", 0, end) + 1
        found = _LINE.fullmatch(text[start:end].strip())
        if found is None:
            break
        is_present = True
        if found["missing"]:
            missing = found["missing"][:MISSING]
        elif found["ask"]:
            branch = _branch(found["ask"], known)
        else:
            is_conflict = True
        end = len(text[:start].rstrip())
    return Closing(
        length=end,
        is_present=is_present,
        is_conflict=is_conflict,
        missing=missing,
        branch=branch,
    )


def _branch(line: str, known: Sequence[str]) -> Branch | None:
    slot, *rest = (part.strip() for part in line.split("|"))
    question = askable(rest[0], known=known) if rest else None
    options = usable_options(rest[1:], known=known)
    if question is None or not 0 < len(slot) <= _SLOT or len(options) < _CHOICE:
        return None
    return Branch(slot=slot, question=question, options=options)


def unmarked(text: str, marks: Sequence[CitedBlocks]) -> tuple[TextPart, ...]:
    """Return a text without its marks: a part for each sentence, with the citations of its marks.

    A mark belongs to the sentence that it is in or follows. An unknown mark cites blocks that do
    not exist.
    """
    plain: list[str] = []
    placed: list[tuple[int, CitedBlocks]] = []
    at = length = 0
    for found in _MARKS.finditer(text):
        plain.append(text[at : found.start()])
        length += found.start() - at
        at = found.end()
        placed += [(length, _meant(mark, marks)) for mark in _NUMBER.findall(found.group())]
    plain.append(text[at:])
    return _parts("".join(plain), placed)


def _meant(mark: str, marks: Sequence[CitedBlocks]) -> CitedBlocks:
    number = int(mark[:_MOST_DIGITS])
    if 1 <= number <= len(marks) and len(mark) <= _MOST_DIGITS:
        return marks[number - 1]
    return CitedBlocks(search_result=-1, start_block=number, end_block=number + 1, cited_text="")


def _parts(text: str, placed: Sequence[tuple[int, CitedBlocks]]) -> tuple[TextPart, ...]:
    units = split_sentences(text)
    cuts = [0, *(unit.char_start for unit in units[1:]), len(text)]
    return tuple(
        TextPart(
            text=text[start:end],
            citations=tuple(cited for at, cited in placed if start < at <= end),
        )
        for start, end in pairwise(cuts)
    )


def _bounded(found: Sequence[CitedSentence]) -> tuple[CitedSentence, ...]:
    if len(found) <= STATEMENTS:
        return tuple(found)
    left = len(found) - STATEMENTS
    rest = CitedSentence(text=f"({left} further sentences were not read.)", citations=())
    return (*found[:STATEMENTS], rest)


def _citations(parts: Sequence[TextPart], start: int, end: int) -> tuple[CitedBlocks, ...]:
    """Return the citations of the parts that have a letter or digit in [start, end)."""
    found: list[CitedBlocks] = []
    at = 0
    for part in parts:
        own = part.text[max(0, start - at) : max(0, end - at)]
        if part.citations and any(character.isalnum() for character in own):
            found += part.citations
        at += len(part.text)
    return tuple(dict.fromkeys(found))


def _says_nothing(one: CitedSentence) -> bool:
    """Return whether this is an uncited heading or transition, which can't be wrong.

    A heading has no full stop and few words; a transition is one of a few phrases, or introduces
    what follows.
    """
    if one.citations:
        return False
    is_heading = not _ENDS.search(one.text) and len(one.text.split()) <= HEADING
    if not is_heading and not _TRANSITION.fullmatch(one.text):
        return False
    return not quantities(one.text) and modality(one.text) is Modality.NONE


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split())


def claims_of(
    found: Sequence[CitedSentence], *, locate: Locate, evidence: Evidence
) -> tuple[Claim, ...]:
    """Return sentences as claims that cite the evidence by its keys.

    Equal sentences that cite the same text are one claim, also by a finding and by a passage.
    """
    claims = (
        Claim(
            text=one.text,
            citations=tuple(
                dict.fromkeys(
                    citation
                    for cited in one.citations
                    for citation in _located(cited, locate, evidence)
                )
            ),
        )
        for one in found
    )
    said: dict[tuple[str, tuple[Span, ...]], Claim] = {}
    for claim in claims:
        said.setdefault((claim.text, tuple(one.span for one in claim.citations)), claim)
    return tuple(said.values())


def _located(cited: CitedBlocks, locate: Locate, evidence: Evidence) -> Sequence[Citation]:
    """Return citations; one that refers to nothing has a key that no evidence has."""
    located = locate(cited)
    if located is None:
        name = f"source {cited.search_result + 1} [{cited.start_block}:{cited.end_block}]"
        return [Citation(key=name, span=NOWHERE, quote="")]
    source, spans = _in_context(*located, evidence)
    return [_citation(source, span, evidence) for span in spans]


def _in_context(
    source: CitableSource, spans: Sequence[Span], evidence: Evidence
) -> tuple[CitableSource, Sequence[Span]]:
    """Return the passage that has an item which was shown alone, with the spans of its lead-ins."""
    if len(spans) > 1 or not is_introduced(source.text):
        return source, spans
    for item in evidence.items:
        around = source_of(item.text, item.span, item.place) if item.kind == "chunk" else None
        for number, one in enumerate(around.sentences if around else ()):
            if around and one.span == spans[0] and one.introduced_by is not None:
                return around, around.spans(number, number + 1)
    return source, spans


def _citation(source: CitableSource, span: Span, evidence: Evidence) -> Citation:
    item = _holding(source, span, evidence)
    key = item.key if item else source.reference
    return Citation(key=key, span=span, quote=source.quote(span))


def _holding(source: CitableSource, span: Span, evidence: Evidence) -> EvidenceItem | None:
    """Return the evidence shown as this source, else the first that contains the span."""
    holding = [item for item in evidence.items if item.holds(span)]
    return next((item for item in holding if item.span == source.span), next(iter(holding), None))

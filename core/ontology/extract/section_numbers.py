"""Section numbers as comparable keys: "9.3.1(2)", "9.3.1.(2)" and "Part 3.9.3.1.(2)" meet.

A key is a tuple of atoms from the outermost to the innermost: ("9", "3", "1", "(2)"). Words that
only repeat the kind ("section", "rule") carry nothing; those that number separately ("annex",
"schedule") stay with their atom.
"""

import re
from typing import TypeAlias

NumberKey: TypeAlias = tuple[str, ...]
"""The atoms of a section number; empty if there are none."""

_INVISIBLE = re.compile("[\u200e\u200f\u200b\u00ad*]")
_NAMED = re.compile(
    r"(annex|appendix|app|schedule|article|part|chapter)\.?\s*([A-Z]?\d+[A-Z]?|[IVXLC]+\b|[A-Z]\b)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"^(?:the\s+)?(?:sections?|secs?\.?|\u00a7+|rules?|clauses?|paragraphs?|paras?\.?|regulations?"
    r"|requirements?|steps?|guidance(?=\s+\d))\s*",
    re.IGNORECASE,
)
_ATOM = re.compile(r"\(([^()\s]{1,6})\)|([^\s.()]+)(\))?")
_STRUCTURE = ("part", "chapter")
_SPELLING = {"app": "annex", "appendix": "annex"}


def number_key(number: str) -> NumberKey:
    """Return the key of a section number as printed or as referred to."""
    text = _PLAIN.sub("", _INVISIBLE.sub("", number).strip())
    atoms: list[str] = []
    position = 0
    while position < len(text):
        named = _NAMED.match(text, position)
        if named and (position == 0 or not text[position - 1].isalnum()):
            word = named[1].casefold()
            atoms.append(f"{_SPELLING.get(word, word)} {named[2].casefold()}")
            position = named.end()
            continue
        atom = _ATOM.match(text, position)
        if atom is None:
            position += 1
            continue
        if atom[1]:
            atoms.append(f"({atom[1].casefold()})")
        else:
            closed = bool(atom[3]) and bool(atoms)
            atoms.append(f"({atom[2].casefold()})" if closed else atom[2].casefold())
        position = atom.end()
    return tuple(atoms)


def readings(key: NumberKey) -> tuple[NumberKey, ...]:
    """Return the keys under which a section may be named, the fullest first.

    Parts and chapters only group sections that are numbered through; an annex whose items carry its
    own number ("App 4", "A4.3.2") may be left out too.
    """
    found = [key]
    if key and len(key) > 1:
        through = tuple(atom for atom in key[:-1] if not atom.startswith(_STRUCTURE)) + key[-1:]
        found.append(through)
        if through[0].startswith("annex ") and through[1] == "a" + through[0].split()[1]:
            found.append(through[1:])
        if through[0].startswith("article "):
            found.append((through[0].split()[1], *through[1:]))
    elif key and key[0].startswith(("article ", "chapter ", "part ")):
        found.append((key[0].split()[1],))
    return tuple(dict.fromkeys(found))


def ancestors(key: NumberKey) -> list[NumberKey]:
    """Return the keys of the sections that hold this one's paragraphs, nearest first."""
    found: list[NumberKey] = []
    while len(key) > 1 and key[-1].startswith("("):
        key = key[:-1]
        found.append(key)
    return found

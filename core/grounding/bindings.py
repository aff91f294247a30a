"""Whether a text is the rule that applies: what a question names, and how much it asks about.

A sentence may be verbatim and still be the rule of another plant, another band or another row. A
text is held against its siblings, the other texts that were found: it is *contradicted* where one
of them holds what the question names, or the value that it asks about, and the text itself names
something else in its place. A limit that has no sibling decides also what lies outside it, and a
text that does not speak of what is named is silent, which says nothing against it.

Pure, and linear in the texts but for the comparison of those that are alike.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from core.expressions import expression
from core.grounding.bounds import Bound, bounds
from core.language.content_words import content_words, is_function_word, stem
from core.language.jurisdictions import countries_named
from core.language.quantities import quantities, value_of

Names: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""The names of things, by the thing and whether they are numbers or words; each by its stem, with
the words of the text."""


class BindingKind(StrEnum):
    """What a question binds."""

    NAME = "name"
    SIBLING = "sibling"
    """The name of another text of the same kind, as the row of another city has."""
    QUANTITY = "quantity"


class BindingVerdict(StrEnum):
    """How a text stands to what a question binds."""

    SATISFIED = "satisfied"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a question binds, and what a text that is not silent on it says."""

    kind: BindingKind
    """A name or a quantity."""
    asked: str
    """The words of the question."""
    text: str
    """The words that decide."""
    verdict: BindingVerdict
    """Whether they satisfy it."""


@dataclass(frozen=True, kw_only=True)
class CandidateText:
    """A text that may answer, with what stands around it."""

    text: str
    """The sentence, list item or row."""
    lead_in: str = ""
    """What introduces it."""
    header: str = ""
    """The header row of its table; empty: it is no row."""
    around: str = ""
    """Title of the policy and headings."""
    table: object = None
    """The same for the rows of one table."""

    @cached_property
    def own(self) -> frozenset[str]:
        """Stems of the text."""
        return content_words(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Those without figures."""
        return _without_figures(self.own)

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of the words that are written as names, in it and around it."""
        return _capitals(self.text) | _capitals(self.around)

    @cached_property
    def all(self) -> frozenset[str]:
        """Stems of the text and of what stands around it."""
        return self.own | content_words(f"{self.lead_in}\n{self.around}")

    @cached_property
    def key(self) -> frozenset[str]:
        """Of a row, the stems of its first cell without figures; else nothing."""
        known = content_words(self.first_cell)
        return frozenset() if self.table is None else _without_figures(known)

    @property
    def first_cell(self) -> str:
        """Of a row, what it is about."""
        return self.text.split("|", 1)[0].strip()

    @property
    def is_for_others(self) -> bool:
        """True for the row of what no other row names ("all other cities")."""
        return self.table is not None and _ELSE.search(self.first_cell) is not None

    @cached_property
    def named(self) -> Names:
        """What its sentence names of each kind of thing, else its lead-in, headings and title."""
        found: dict[tuple[str, str], Mapping[str, str]] = {}
        for said in (self.around, self.lead_in, self.text):
            found |= _named(said)
        return found

    @cached_property
    def intervals(self) -> tuple["ValueInterval", ...]:
        """Of its numbers, those that bound something or are a range."""
        return tuple(_intervals(self.text, self.header))


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueInterval:
    """The values for which a rule holds."""

    unit: str
    """In which both ends are, as `value_of` names it."""
    low: Decimal | None
    """None: no lower end."""
    high: Decimal | None
    """None: no upper end."""
    has_low: bool
    """Whether the lower end is one of them."""
    has_high: bool
    """Whether the upper end is one of them."""
    raw: str
    """As written."""

    def is_apart(self, other: "ValueInterval") -> bool:
        """Say whether no value lies in both: bands of a scale, and not one limit within another."""
        first, second = sorted((self, other), key=lambda interval: interval.low or Decimal(-1))
        if first.high is None or second.low is None:
            return False
        return first.high < second.low or (
            first.high == second.low and not (first.has_high and second.has_low)
        )


_THINGS = frozenset(
    map(
        stem,
        """plant site factory mill quarry depot warehouse yard gate building hall floor level room
        wing tower block house office branch shop store station terminal hub campus school clinic
        hospital ward laboratory lab kitchen canteen department team division unit desk line region
        district county area zone grade band class category tier step rank tariff group project
        programme program product model version series scheme fund account supplier subsidiary
        entity brand vessel ship route shift committee council board court terrace street road
        square machine press""".split(),  # noqa: SIM905
    )
)
"""Nouns with a name of their own: what stands before them, or a number behind, tells one of them
from another ("the Fenwick plant", "Plant 7", "the legal department")."""
_UNTELLING = frozenset(
    map(
        stem,
        """all every each any other another own same responsible competent respective relevant new
        old whole entire local current former main next last first head different several many few
        two three four five six both various certain working sister host home back front big small
        large business company corporate group employee employees staff which private public age
        price january february march april june july august september october november december
        monday tuesday wednesday thursday friday saturday sunday""".split(),  # noqa: SIM905
    )
)
"""Words before them that tell none from another."""
_WORD = expression(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_ELSE = expression(r"\b(?:other|others|else|elsewhere|remaining|rest)\b", re.IGNORECASE)
LONGEST_NAME = 60
"""Characters of a name that is said to stand in no policy."""
ALIKE = 0.6
"""Share of the words of two sentences from which they are siblings of one matter."""


def bindings(question: str, candidates: Sequence[CandidateText]) -> list[tuple[Binding, ...]]:
    """Return what a question binds of which each text, beside the others, says something.

    Args:
        question: The question.
        candidates: The texts that were found.
    """
    named = _named(question)
    wanted = _without_figures(content_words(question))
    asked = _asked(question)
    # A name that most texts carry tells none from another.
    known = Counter(name for candidate in candidates for name in candidate.key or candidate.names)
    telling = {name for name in wanted if 2 * known[name] <= len(candidates)}
    meant = [candidate for candidate in candidates if telling & (candidate.key or candidate.names)]
    strange = _strange(question, candidates)
    for_others = {
        candidate.table for candidate in candidates if strange and candidate.is_for_others
    }
    return [
        (
            *_names(named, candidate),
            *_rivals(wanted, candidate, meant),
            *_others(strange, candidate, for_others),
            *_quantities(asked, candidate, candidates),
        )
        for candidate in candidates
    ]


def unnamed(found: Iterable[Sequence[Binding]]) -> tuple[str, ...]:
    """Return what a question names where texts name something else, and none names that."""
    names = [binding for read in found for binding in read if binding.kind is BindingKind.NAME]
    satisfied = {name.asked for name in names if name.verdict is BindingVerdict.SATISFIED}
    others = {name.asked: None for name in names if name.verdict is BindingVerdict.CONTRADICTED}
    return tuple(name for name in others if name not in satisfied and len(name) <= LONGEST_NAME)


def is_contradicted(found: Iterable[Binding]) -> bool:
    """Say whether a text is the rule of something else than a question asks about."""
    return any(binding.verdict is BindingVerdict.CONTRADICTED for binding in found)


def _strange(question: str, candidates: Sequence[CandidateText]) -> str:
    """Return the first name of a question that no text has; empty: none."""
    known = frozenset[str]().union(*(candidate.all for candidate in candidates))
    _, *names = [match.group() for match in _WORD.finditer(question)] or [""]
    places = countries_named(question, with_cities=True)
    named = (
        *(name for name in names if name[0].isupper() and not is_function_word(name.casefold())),
        *(question[place.start : place.end] for place in places),
    )
    return next((name for name in named if not content_words(name) <= known), "")


def _others(
    strange: str, candidate: CandidateText, tables: Collection[object]
) -> Iterator[Binding]:
    """Yield that a row names somebody else, where another one is for all that none names."""
    if candidate.table in tables and candidate.table is not None and not candidate.is_for_others:
        yield Binding(
            kind=BindingKind.SIBLING,
            asked=strange,
            text=candidate.first_cell,
            verdict=BindingVerdict.CONTRADICTED,
        )


def _names(asked: Names, candidate: CandidateText) -> Iterator[Binding]:
    """Yield how the things of a question are named in a text: "Kelston plant" for "Fenwick"."""
    for thing, names in asked.items():
        here = candidate.named.get(thing, {})
        if not here:
            continue
        if here.keys() & names.keys() or any(
            _ends_alike(mine, theirs) for mine in here for theirs in names
        ):
            verdict = BindingVerdict.SATISFIED
        elif names.keys() & candidate.all:
            continue
        else:
            verdict = BindingVerdict.CONTRADICTED
        yield Binding(
            kind=BindingKind.NAME,
            asked=" ".join(names.values()),
            text=" ".join(here.values()),
            verdict=verdict,
        )


def _rivals(
    wanted: frozenset[str], candidate: CandidateText, meant: Sequence[CandidateText]
) -> Iterator[Binding]:
    """Yield by which words of a question a sibling is meant, and not this text."""
    for other in meant:
        if other is candidate or not _are_siblings(candidate, other):
            continue
        mine, theirs = _key(candidate, other), _key(other, candidate)
        named = (theirs - mine) & wanted - candidate.all
        if named and mine - theirs and not (mine - theirs) & wanted:
            yield Binding(
                kind=BindingKind.SIBLING,
                asked=" ".join(sorted(named)),
                text=" ".join(sorted(mine - theirs)),
                verdict=BindingVerdict.CONTRADICTED,
            )
            return


def _ends_alike(name: str, other: str) -> bool:
    """Say whether two numbers are one: "building 2" and "Building B2"."""
    return name[-1].isdigit() and (name.endswith(other) or other.endswith(name))


def _are_siblings(text: CandidateText, other: CandidateText) -> bool:
    if text.table is not None or other.table is not None:
        return text.table == other.table
    shared = len(text.words & other.words)
    return shared > 0 and shared >= ALIKE * max(len(text.words), len(other.words))


def _without_figures(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in stems if not any(letter.isdigit() for letter in word))


def _key(text: CandidateText, other: CandidateText) -> frozenset[str]:
    """Return the stems that tell a text from its sibling: of a row its first cell."""
    if text.table is not None:
        return text.key
    return _capitals(text.text) - other.own or _capitals(text.around) - other.all


def _capitals(text: str) -> frozenset[str]:
    """Return the stems of the words that are written as names."""
    found = [match.group() for match in _WORD.finditer(text)]
    return (
        frozenset(
            stem(word.casefold())
            for word in found
            if word[0].isupper() and not is_function_word(word.casefold())
        )
        - _UNTELLING
    )


def _named(text: str) -> Names:
    """Return the names of each kind of thing in a text: "Fenwick" of "plant".

    By the thing, and whether the name is a number, a name or a word: "the meeting room" is not said
    to be another than "the Draco room".
    """
    found: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    previous = None
    for match in _WORDS_ON.finditer(text):
        word, gap = match["word"], match["gap"]
        thing = stem(word.casefold())
        if thing in _THINGS:
            number = _NUMBER_NAME.match(text, match.end())
            if number:
                name = number["name"].casefold()
                found[thing, "number"][name] = f"{word} {number['name']}"
            elif previous and gap == " " and not _IS_PLURAL.search(word):
                name = stem(previous.casefold().removesuffix("'s").removesuffix("\u2019s"))
                is_word = name.isalpha() and not is_function_word(previous.casefold())
                if is_word and name not in _UNTELLING | _THINGS:
                    found[thing, "word"][name] = f"{previous} {word}"
        previous = word
    return found


_IS_PLURAL = expression(r"[^s]s$", re.IGNORECASE)
_WORDS_ON = expression(r"(?P<gap>\W{0,3})(?P<word>[^\W_]+(?:['\u2019-][^\W_]+)*)")
_NUMBER_NAME = expression(
    r" (?P<name>[-\u2212]?[A-Za-z]?\d{1,4}[A-Za-z]?|[A-Z])\b(?! ?(?:to |[-\u2013%]|and |or |\d))"
)


def _asked(question: str) -> Mapping[str, Sequence[ValueInterval]]:
    """Return the values of a question by their unit; "above EUR 50" asks for all of them."""
    found: defaultdict[str, list[ValueInterval]] = defaultdict(list)
    for bounded in bounds(question):
        quantity, value = bounded.quantity, value_of(bounded.quantity)
        if value is None or (
            quantity.kind == "number" and (value[0] < FEWEST or _YEAR.fullmatch(quantity.raw))
        ):
            continue
        is_open_above = bounded.bound in {Bound.ABOVE, Bound.AT_LEAST}
        found[value[1]].append(
            ValueInterval(
                unit=value[1],
                low=None if bounded.bound is Bound.AT_MOST else value[0],
                high=None if is_open_above else value[0],
                has_low=bounded.bound is not Bound.ABOVE,
                has_high=True,
                raw=quantity.raw,
            )
        )
    return found


FEWEST = 100
"""A number without a unit is held against the amounts of a table from this on."""
_YEAR = expression(r"(?:19|20)\d\d")


def _quantities(
    asked: Mapping[str, Sequence[ValueInterval]],
    candidate: CandidateText,
    others: Sequence[CandidateText],
) -> Iterator[Binding]:
    for unit in dict.fromkeys(interval.unit for interval in candidate.intervals) if asked else ():
        values = asked.get(unit) or (
            asked.get("", ()) if candidate.table is not None and unit in _SUMS else ()
        )
        mine = [interval for interval in candidate.intervals if interval.unit == unit]
        held = [
            (value, interval)
            for value in values
            for interval in mine
            if not value.is_apart(interval)
        ]
        bands = (
            (value, interval)
            for value in values
            for other in others
            for band in other.intervals
            if band.unit == unit
            and not value.is_apart(band)
            and _are_of_one_scale(candidate, other)
            for interval in mine
            if band.is_apart(interval)
        )
        decided = held[0] if held else next(bands, None)
        if decided is not None:
            yield Binding(
                kind=BindingKind.QUANTITY,
                asked=decided[0].raw,
                text=decided[1].raw,
                verdict=BindingVerdict.SATISFIED if held else BindingVerdict.CONTRADICTED,
            )


def _are_of_one_scale(text: CandidateText, other: CandidateText) -> bool:
    """Say whether two texts may be bands of one scale: rows of one thing, or sentences alike."""
    if text.table is not None or other.table is not None:
        return text.table == other.table and _is_same_thing(text, other)
    return 3 * len(text.words & other.words) >= min(len(text.words), len(other.words))


def _is_same_thing(text: CandidateText, other: CandidateText) -> bool:
    mine, theirs = text.first_cell, other.first_cell
    return bool(quantities(mine)) or content_words(mine) == content_words(theirs)


def _intervals(text: str, header: str) -> Iterator[ValueInterval]:
    found = list(_measured(text, header))
    taken = -1
    for place, first in enumerate(found):
        if place <= taken:
            continue
        second = found[place + 1] if place + 1 < len(found) else None
        pair = second and _range(first, second)
        if pair:
            taken = place + 1
            yield pair
        elif first.bound is not Bound.NONE:
            is_low = first.bound in {Bound.ABOVE, Bound.AT_LEAST}
            yield ValueInterval(
                unit=first.unit,
                low=first.value if is_low else None,
                high=None if is_low else first.value,
                has_low=first.bound is Bound.AT_LEAST,
                has_high=_BELOW.search(first.cell, 0, first.start) is None,
                raw=first.raw,
            )


def _range(first: "_Measured", second: "_Measured") -> ValueInterval | None:
    """Return "EUR 1,001 to EUR 10,000" or "more than 6 and up to 9 hours" as one."""
    if first.cell is not second.cell or first.bound is Bound.AT_MOST:
        return None
    is_one = first.start == second.start  # "8 to 13 days" is read as two days of one place
    if not is_one and not _RANGE.fullmatch(first.cell, first.end, second.start):
        return None
    is_bare = first.unit != second.unit and first.is_bare
    low = first.value * second.factor if is_bare else first.value
    if (first.unit != second.unit and not is_bare) or low >= second.value:
        return None
    return ValueInterval(
        unit=second.unit,
        low=low,
        high=second.value,
        has_low=first.bound is not Bound.ABOVE,
        has_high=_BELOW.search(second.cell, 0, second.start) is None,
        raw=first.cell[first.start : second.end],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """A number of a text or a cell."""

    cell: str
    """The text or the cell."""
    start: int
    """Where it begins there."""
    end: int
    """Where it ends there."""
    raw: str
    """As written."""
    value: Decimal
    """How much of `unit`."""
    unit: str
    """As `value_of` names it; empty: none."""
    factor: Decimal
    """How many of `unit` one of what is written is: days are seconds."""
    is_bare: bool
    """Whether it is written without a unit."""
    bound: Bound
    """What it is compared with."""


def _measured(text: str, header: str) -> Iterator[_Measured]:
    """Yield the numbers of a text; those of a cell have the unit that its column names."""
    names, cells = header.split("|"), text.split("|")
    for place, cell in enumerate(cells):
        name = names[place] if len(names) == len(cells) else ""
        currency = _CURRENCY.search(name)
        for bounded in bounds(cell):
            value = value_of(bounded.quantity)
            if value is None:
                continue
            quantity = bounded.quantity
            is_bare = quantity.kind == "number"
            digits = quantity.canonical.partition(" ")[2 if quantity.kind == "amount" else 0]
            yield _Measured(
                cell=cell,
                start=quantity.span.char_start,
                end=quantity.span.char_end,
                raw=quantity.raw,
                value=value[0],
                unit=_currency(currency[0]) if is_bare and currency else value[1],
                factor=value[0] / Decimal(digits) if Decimal(digits) else Decimal(1),
                is_bare=is_bare,
                bound=bounded.bound,
            )


_RANGE = expression(
    r"\s*(?:(?:and\s+)?(?:up\s+)?to|and\s+(?:under|below|less\s+than)|-|\u2013|\u2014|and|but\s+(?:under|less\s+than)"
    r"|until|till|through|bis)\s*(?:and\s+including\s*)?",
    re.IGNORECASE,
)
_BELOW = expression(
    r"(?:below|under|(?:less|fewer|lower|shorter|earlier)\s+than|<)\s*$", re.IGNORECASE
)
_CURRENCY = expression(r"\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|JPY|CAD|AUD)\b|[$\u20ac\u00a3]")


_SUMS = frozenset({"EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "JPY", "CAD", "AUD"})


def _currency(sign: str) -> str:
    return {"$": "USD", "\u20ac": "EUR", "\u00a3": "GBP"}.get(sign, sign)

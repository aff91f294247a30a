"""Which thing of a question a follow-up replaces: "and tachograph data?" after bills of lading.

The things that a question names are found by the words around them, without a parser; the one most
like the new thing is replaced. An embedder says how alike two things are, where there is one;
otherwise their words and their places in the question do.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.language.content_words import stem, words
from core.language.jurisdictions import countries_named
from core.language.people import mentions
from core.ports import Vector


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PREPOSITIONS = _set(
    "for as in with from to at on by without under over above below after before during between"
    " into about through toward towards against within per until via of behind inside outside worth"
    " costing"
)
_DETERMINERS = _set(
    "a an the my our your his her their its any some this that these those each every another no"
    " other all both"
)
_SUBJECTS = _set("i we you they he she it one someone somebody anyone anybody people")
_AUXILIARIES = _set(
    "can may must do does did should could would will shall might am is are was were be been being"
    " has have had need cannot"
)
_INTRODUCES_VERB = _set(
    "have need allowed want able supposed going like required ought permitted ok okay how where"
    " what when whom obliged forced plan fine possible necessary going wish"
)
"""Words before a "to" that a verb follows."""
_OTHERS = _set(
    "what which who whom whose when where why how if whether while because although and or but nor"
    " not also only just even still already ever never please thanks there here then than so too"
    " very much many more most few less often long soon fast far early late ago again back up out"
    " off down away together alone else me us him them myself yourself ourselves mine ours yours"
    " today tomorrow yesterday now always usually really actually exactly allowed permitted"
    " forbidden prohibited required necessary possible ok okay fine free sure able paid due happens"
    " happen counts count means mean applies apply whats im ive dont doesnt cant id am"
)
_ENDS = _PREPOSITIONS | _SUBJECTS | _AUXILIARIES | _OTHERS
_MEASURES = frozenset(
    map(
        stem,
        _set(
            "limit limits rate rates amount amounts maximum minimum deadline period budget price"
            " cost costs fee threshold cap allowance rule rules policy policies process procedure"
            " form approval kind type sort number percentage length duration notice time value"
            " requirement requirements retention"
        ),
    )
)
"""What is asked of things, and gives way to none ("the hotel limit")."""
_UNITS = frozenset(
    map(
        stem,
        _set(
            "day days week weeks month months year years hour hours minute minutes times night km"
            " eur usd gbp cad chf euro euros dollar dollars pound pounds"
        ),
    )
)
_GONE = _set("home abroad overseas")
"""No thing but behind a preposition ("bring my laptop home")."""
_PARTICIPLES = _set(
    "kept held paid given sent made done sold bought taken brought written known shown lost stolen"
    " thrown spent borrowed lent told left put"
)
_SHORTEST_PARTICIPLE = 5
_VERBS = _set("can may must do does did should could would will shall")
_WORD = re.compile(r"[^\W_]+(?:[.&/-][^\W_]+)*")
_CONTRACTED = re.compile(r"['\u2019](?:s|m|re|ve|d|ll|t)\b", re.IGNORECASE)
_VAGUE = re.compile(r"^(?:(for|about|with|of|regarding|concerning)\s+)?", re.IGNORECASE)
"""Before a thing of whatever place in the question ("and for dinners?")."""
_SURE = re.compile(r"^(?:an?|the|my|our|your|his|her|their|any|some)\s", re.IGNORECASE)
LONGEST = 6
"""Words of a thing that takes the place of another."""
_LONGEST_STRETCH = 12
"""Words without a verb or a preposition beyond which they are no thing."""
MOST = 8
"""Things of a question that are compared."""
_SAME_HEAD, _SAME_PLACE, _OBJECT = 0.6, 0.3, 0.1
"""What it counts that two things end in the same word, stand behind the same preposition, or that
a thing is the first behind the verb; the likeness of two things is a cosine. Reasoned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedThing:
    """A thing that a question names."""

    start: int
    """First character, its determiner included."""
    end: int
    """Character after it."""
    words: str
    """As written, without its determiner."""
    preposition: str = ""
    """What stands before it, in lower case; empty if nothing does, or nothing that ties it."""
    led_by: str = ""
    """The same, whether or not it ties it ("and for dinners?")."""
    is_object: bool = False
    """True: the first thing behind the verb."""


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    """In lower case."""
    start: int
    end: int


def named_thing(rest: str, *, is_clause: bool = False) -> AskedThing | None:
    """Return the thing that a follow-up names and nothing else; None if it names more or less.

    Args:
        rest: The follow-up without what leads it in.
        is_clause: True: it is the rest of a clause ("it is a gift card"), whose end is surely a
            thing only behind a determiner.
    """
    vague = _VAGUE.match(rest)
    at = vague.end() if vague else 0
    said = rest[at:]
    tokens = _tokens(said)
    if not tokens or len(tokens) > LONGEST or (is_clause and not _SURE.match(said)):
        return None
    preposition = tokens[0].word if tokens[0].word in _PREPOSITIONS else ""
    tokens = tokens[1:] if preposition else tokens
    telling = [one for one in tokens if one.word not in _DETERMINERS]
    joins = _ENDS - {"of", "and", "or"}
    if not telling or any(one.word in joins for one in telling) or telling[-1].word in _ENDS:
        return None
    if len(telling) == 1 and stem(telling[0].word) in _MEASURES:
        return None
    if all(_is_amount(one.word) for one in telling):
        return None
    return AskedThing(
        start=at + tokens[0].start,
        end=at + tokens[-1].end,
        words=said[telling[0].start : telling[-1].end],
        preposition=preposition,
        led_by=preposition or (vague[1] or "" if vague else "").casefold(),
    )


def things_in(question: str) -> tuple[AskedThing, ...]:
    """Return the things that a question names, in order, people and countries left out."""
    tokens = _tokens(question)
    things: list[AskedThing] = []
    for first, last in _runs(tokens, _people_and_places(question, tokens)):
        thing = _thing(question, tokens, first, last)
        if thing is not None and len(things) < MOST:
            things.append(thing)
    return tuple(things)


def exchanged(
    question: str, rest: str, thing: AskedThing, vectors: Mapping[str, Vector] | None = None
) -> str | None:
    """Return a question with a thing replaced by the new one that is most like it.

    None where it can take the place of nothing.

    Args:
        question: The question.
        rest: The text in which the new thing stands.
        thing: The new thing.
        vectors: By words of things, unit norm; without them only words and places are compared.
    """
    known = candidates(question, thing)
    if not known:
        return None
    best = max(known, key=lambda one: _fit(one, thing, vectors or {}))
    if words(best.words) == words(thing.words):
        return None
    put = rest[thing.start : thing.end]
    if best.start == best.end - len(best.words) and best.preposition == "":
        put = _singular(thing.words) if _is_before_measure(question, best) else put
    return f"{question[: best.start]}{put}{question[best.end :]}"


def candidates(question: str, thing: AskedThing) -> tuple[AskedThing, ...]:
    """Return the things of a question in whose place a new one may stand.

    A preposition of its own keeps its place: "and on Sundays?" is no other thing to pay for.
    """
    known = things_in(question)
    if not thing.preposition:
        return known
    return tuple(one for one in known if one.preposition == thing.preposition)


def _fit(one: AskedThing, thing: AskedThing, vectors: Mapping[str, Vector]) -> float:
    first, second = vectors.get(one.words), vectors.get(thing.words)
    alike = sum(a * b for a, b in zip(first, second, strict=True)) if first and second else 0.0
    alike += _SAME_HEAD * bool(_stems(one.words)[-1:] == _stems(thing.words)[-1:])
    alike += _SAME_PLACE * bool(thing.led_by and one.preposition == thing.led_by)
    return alike + _OBJECT * (one.is_object and not vectors)


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text)]


def _is_before_measure(question: str, one: AskedThing) -> bool:
    after = words(question[one.end : one.end + 40])
    return bool(after) and stem(after[0]) in _MEASURES


def _singular(said: str) -> str:
    """Return a thing as it stands before what is measured of it ("the dinner limit")."""
    return said[:-1] if said.endswith("s") and not said.endswith(("ss", "us", "is")) else said


def _tokens(text: str) -> list[_Token]:
    plain = _CONTRACTED.sub(lambda found: " " * len(found[0]), text)
    return [_Token(m[0].casefold(), m.start(), m.end()) for m in _WORD.finditer(plain)]


def _people_and_places(text: str, tokens: Sequence[_Token]) -> frozenset[int]:
    """Return the places of words that name people or countries and are no part of a thing's name.

    Somebody without an article is, before another noun ("customer data").
    """
    begins = [one.start for one in tokens]
    spans = [(one.start, one.end) for one in countries_named(text)]
    for one in mentions(text):
        at = bisect_left(begins, one.end)
        behind = tokens[at].word if at < len(tokens) else ""
        is_alone = one.determiner or not behind or behind in _ENDS or one.noun.endswith("s")
        spans += [(one.noun_start, one.end)] if is_alone else []
    return frozenset(
        at
        for start, end in spans
        for at in range(bisect_left(begins, start), bisect_left(begins, end))
    )


def _runs(tokens: Sequence[_Token], barred: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield stretches of words that are no verb, no preposition and no people: first, behind."""
    begun: int | None = None
    for at, token in enumerate(tokens):
        joins = token.word == "of" and begun is not None
        ends = at in barred or (token.word in _ENDS and not joins) or _is_verb(tokens, at, barred)
        ends = ends or (
            token.word in _GONE and (not at or tokens[at - 1].word not in _PREPOSITIONS)
        )
        if begun is not None and (ends or (token.word in _DETERMINERS and not _joined(tokens, at))):
            yield begun, at
            begun = None
        if begun is None and not ends:
            begun = at
    if begun is not None:
        yield begun, len(tokens)


def _joined(tokens: Sequence[_Token], at: int) -> bool:
    return at > 0 and tokens[at - 1].word == "of"


def _is_verb(tokens: Sequence[_Token], at: int, barred: frozenset[int] = frozenset()) -> bool:
    if at > 0 and at - 1 in barred:
        # "Do contractors get lunch?"
        first = at - 1
        while at - first < LONGEST and first and _is_of_person(tokens, first - 1, barred):
            first -= 1
        return first > 0 and tokens[first - 1].word in _VERBS
    before = tokens[at - 1].word if at > 0 else ""
    if before == "to" and at > 1:
        return tokens[at - 2].word in _INTRODUCES_VERB
    return before in _SUBJECTS | {"who", "not"} - {"people"}


def _is_of_person(tokens: Sequence[_Token], at: int, barred: frozenset[int]) -> bool:
    return at in barred or tokens[at].word in _DETERMINERS


def _thing(question: str, tokens: Sequence[_Token], first: int, last: int) -> AskedThing | None:
    """Return the thing of a stretch of words, without participles, units and measures."""
    if last - first > _LONGEST_STRETCH:
        return None
    before = tokens[first - 1].word if first else ""
    kept = list(tokens[first:last])
    while kept and (kept[-1].word == "of" or _is_participle(kept[-1].word)):
        kept.pop()
    heads = [place for place, one in enumerate(kept) if one.word == "of"]
    while heads and stem(kept[heads[0] - 1].word) in _MEASURES | _UNITS:
        kept, before = kept[heads[0] + 1 :], "of"
        heads = [place for place, one in enumerate(kept) if one.word == "of"]
    is_measured = False
    while kept and stem(kept[-1].word) in _MEASURES:
        kept.pop()
        is_measured = True
    telling = [one for one in kept if one.word not in _DETERMINERS]
    if not telling or all(_is_amount(one.word) for one in telling):
        return None
    begins = telling[0].start if is_measured else kept[0].start
    return AskedThing(
        start=begins,
        end=kept[-1].end,
        words=question[telling[0].start : kept[-1].end],
        preposition=before if before in _PREPOSITIONS else "",
        is_object=_is_verb(tokens, first - 1) or before in _AUXILIARIES,
    )


def _is_participle(word: str) -> bool:
    is_regular = word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE
    return word in _PARTICIPLES or (is_regular and word not in {"speed", "breed", "exceed"})


def _is_amount(word: str) -> bool:
    return stem(word) in _UNITS or any(letter.isdigit() for letter in word)

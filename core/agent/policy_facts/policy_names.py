"""Policies that a question calls by a name: "the T&E policy", "FIN-001", "the Boeing code". Pure.

A name is found by how it stands in the question, and matched with titles, keys and file names
afterwards. Each of its words must be known of a policy: a name that fits none means none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath

from core.domain.policy import PolicyVersion
from core.expressions import expression
from core.language.content_words import content_words, stem
from core.language.jurisdictions import jurisdictions_in

READ = 1_000
"""Characters of a question in which names are looked for."""
LONGEST = 8
"""Words of a name at most."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TOKEN = expression(r"[^\W_]+(?:[&/.'\u2019_-][^\W_]+)*|&")
_NOUNS = _words(
    "policy policies guideline guidelines code codes handbook manual rulebook standard standards"
    " procedure procedures supplement directive charter document"
)
"""What a name ends with, or a title goes without."""
_KINDS = frozenset(map(stem, _NOUNS)) | {"rule", "guid", "guidanc", "regul", "md", "statement"}
_JOINS = frozenset({"and", "&", "of", "or", "for", "on", "in", "the", "to"})
_BEHIND = frozenset({"of", "on", "for", "about", "regarding", "covering"})
"""Between a noun and the name behind it: "the code of conduct"."""
_ARTICLES = _words("the teh hte a an this that")
_FILLERS = _words(
    "company corporate group global internal current new newest latest old own whole entire full"
    " existing official present updated written actual general our your this that the teh hte a an"
)
_PARTICLES = _words("up out off down over non")
"""Function words that names have ("speak up")."""
_STOPS = _words(
    "own owns owned owner owners version versions edition summary summarise summarize overview"
    " outline explain read find show say says said tell list name change changed changes changing"
    " update updated updates revised responsible accountable under per see check link file"
    " gist tldr short about per where who which what when give get open does do is are was were has"
    " have did can could may must should will would maintains maintain maintained force effect"
    " list all any many most other these those some every each send need want"
    " apply applies mean means follow breach violate according both either yes no please"
)
"""Words before a name that are none of it."""
_FILE = expression(r"(?<![\w@/.])[\w-]{2,80}\.(?:pdf|docx?|md|html?|txt)(?!\w)", re.IGNORECASE)
_KEY = expression(r"(?<![\w-])[A-Za-z]{2,8}-\d{1,5}(?![\w-])")
_CAPITALS = r"(?:[A-Z][\w&'\u2019-]*\s+){0,3}"
_FIRM = expression(
    rf"\b(?:[Aa]t|[Oo]f|[Ff]or|[Ff]rom|[Bb]y|[Ii]n|[Ww]ith)\s+(?P<name>{_CAPITALS}[A-Z][\w&-]*)"
    r"\s+(?:GmbH|AG|SE|KG|Ltd|Limited|LLC|LLP|Inc|Corp|plc|PLC|SA|S\.A|BV|B\.V|NV|AB|Oy|SpA)\b"
)
"""A company by its legal form."""
_AT = expression(rf"\b[Aa]t\s+(?P<name>{_CAPITALS}[A-Z][\w&-]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyMention:
    """Where a question seems to name a policy."""

    start: int
    """First character, an article included."""
    end: int
    """Character after it."""
    words: tuple[str, ...]
    """The words of the name, in lower case, without what every policy is called."""
    text: str = field(compare=False)
    """As it is written, without an article."""
    is_file: bool = False
    """True: it is the name of a file or a key, which is matched whole."""


def mentions(text: str) -> tuple[PolicyMention, ...]:
    """Return what a question seems to name, in order; what is no policy's name among it."""
    text = text[:READ]
    found = [
        PolicyMention(
            start=one.start(), end=one.end(), words=(one[0].casefold(),), text=one[0], is_file=True
        )
        for pattern in (_FILE, _KEY)
        for one in pattern.finditer(text)
    ]
    tokens = list(_TOKEN.finditer(text))
    for place, token in enumerate(tokens):
        if token[0].casefold() in _NOUNS:
            named = _around(text, tokens, place)
            if named is not None:
                found.append(named)
    kept: list[PolicyMention] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def policies_meant(
    mention: PolicyMention, versions: Sequence[PolicyVersion], text: str
) -> list[PolicyVersion]:
    """Return the policies that a name means: several if it does not tell them apart.

    Args:
        mention: The name.
        versions: Policies in scope.
        text: The question: of several policies that differ by country it may say which.
    """
    fitting = _fitting(mention, versions)
    countries = jurisdictions_in(text)
    if countries and not mention.is_file:
        local = [one for one in fitting if one.metadata.jurisdiction in countries]
        fitting = local or [one for one in fitting if one.metadata.jurisdiction is None]
    name = frozenset(_telling(mention.words, is_whole=True))
    exact = [one for one in fitting if _is_whole(one, name)]
    return exact or fitting


def _fitting(mention: PolicyMention, versions: Sequence[PolicyVersion]) -> list[PolicyVersion]:
    if mention.is_file:
        whole = mention.words[0]
        return [one for one in versions if whole in _whole_names(one)]
    name = _telling(mention.words)
    return [one for one in versions if name and all(_has(one, word) for word in name)]


def policies_titled(title: str, versions: Sequence[PolicyVersion]) -> list[PolicyVersion]:
    """Return the policies of exactly this title, as it was offered to choose from."""
    wanted = " ".join(title.split()).casefold()
    return [one for one in versions if " ".join(one.metadata.title.split()).casefold() == wanted]


def policies_named(text: str, versions: Sequence[PolicyVersion]) -> tuple[PolicyVersion, ...]:
    """Return the policies to which names in a question bind its search; empty: to none.

    Names of policies, and of companies that some of the titles or files have. A policy comes with
    its supplements: those for the countries that are named, or for all.
    """
    found = [one for name in mentions(text) for one in _fitting(name, versions)]
    countries = jurisdictions_in(text)
    if countries:
        found = [one for one in found if one.metadata.jurisdiction in {*countries, None}]
    for firm in _firms(text[:READ]):
        of_firm = [one for one in versions if all(_has(one, word) for word in firm)]
        if 0 < len(of_firm) < len(versions):
            kept = [one for one in found if one in of_firm]
            found = kept or [*found, *of_firm]
    return tuple(dict.fromkeys(found))


def names_something(text: str) -> bool:
    """Say whether a question may name a policy or a company."""
    return bool(mentions(text) or next(_firms(text[:READ]), None))


def _around(text: str, tokens: Sequence[re.Match[str]], place: int) -> PolicyMention | None:
    """Return the name that stands before a noun, or else behind it; None: neither."""
    since = next(
        (at for at in range(place, max(0, place - LONGEST), -1) if _are_apart(text, tokens, at)),
        max(0, place - LONGEST),
    )
    before = _walk([token[0].casefold() for token in reversed(tokens[since:place])])
    first = place - len(before)
    if _telling(before):
        start = _with_article(text, tokens, first)
        return PolicyMention(
            start=start,
            end=_with_country(text, tokens, place),
            words=tuple(reversed(before)),
            text=text[tokens[first].start() : tokens[place].end()],
        )
    ends = range(place + 1, min(len(tokens), place + LONGEST + 2))
    until = next((at for at in ends if _are_apart(text, tokens, at)), ends.stop)
    rest = [token[0].casefold() for token in tokens[place + 1 : until]]
    if not rest or rest[0] not in _BEHIND:
        return None
    behind = _walk(rest[1:])
    if not _telling(behind):
        return None
    start = _with_article(text, tokens, first)
    end = tokens[place + 1 + len(behind)].end()
    said = text[tokens[first].start() : end]
    return PolicyMention(start=start, end=end, words=tuple(behind), text=said)


def _are_apart(text: str, tokens: Sequence[re.Match[str]], at: int) -> bool:
    """Say whether a mark parts a token from the one before it."""
    return bool(text[tokens[at - 1].end() : tokens[at].start()].strip(" \t\"'\u201c\u201d"))


def _walk(words: Sequence[str]) -> list[str]:
    """Return the first words that may be a name, without the joining words at its end."""
    taken: list[str] = []
    for word in words[:LONGEST]:
        is_name = word in _FILLERS or (word not in _STOPS and bool(content_words(word)))
        if (
            word in _ARTICLES
            or word in _NOUNS
            or not (is_name or word in _PARTICLES or word in _JOINS)
        ):
            break
        taken.append(word)
    while taken and taken[-1] in _JOINS:
        taken.pop()
    return taken


def _with_article(text: str, tokens: Sequence[re.Match[str]], first: int) -> int:
    start = tokens[first].start()
    before = tokens[first - 1] if first else None
    if before is not None and before[0].casefold() in _FILLERS:
        return before.start()
    return start


def _with_country(text: str, tokens: Sequence[re.Match[str]], place: int) -> int:
    """Return where a name ends, the country behind it included ("... for Germany")."""
    end = tokens[place].end()
    if place + 1 < len(tokens) and tokens[place + 1][0].casefold() in {"for", "in", "of"}:
        for last in tokens[place + 2 : place + 6]:
            behind = text[tokens[place + 1].end() : last.end()]
            if jurisdictions_in(behind):
                return last.end()
    return end


def _telling(words: Sequence[str], *, is_whole: bool = False) -> list[str]:
    """Return the stems of a name that tell it from others; of a whole name all there are."""
    said: list[str] = []
    for word in words:
        bare = word.removesuffix("'s").removesuffix("\u2019s")
        is_beside = bare in _FILLERS or bool(jurisdictions_in(bare))
        if bare in _JOINS or bare in _ARTICLES or (is_beside and not is_whole):
            continue
        parts = [stem(part) for part in re.split(r"[-_/]", bare) if part]
        said += [part for part in parts if part not in _KINDS and part not in _JOINS]
    return said


def _firms(text: str) -> Iterator[tuple[str, ...]]:
    for pattern in (_FIRM, _AT):
        for found in pattern.finditer(text):
            name = tuple(_telling([word.casefold() for word in _TOKEN.findall(found["name"])]))
            if name:
                yield name


def _has(version: PolicyVersion, word: str) -> bool:
    names = _names(version.metadata.title, version.metadata.key, version.source_name)
    return word in names.words or word.replace("&", "") in names.initials


def _is_whole(version: PolicyVersion, name: frozenset[str]) -> bool:
    """Say whether a name is all of a title, a key or the name of a file."""
    names = _names(version.metadata.title, version.metadata.key, version.source_name)
    return any(whole <= name for whole in names.wholes)


def _whole_names(version: PolicyVersion) -> frozenset[str]:
    path = PurePath(version.source_name.casefold())
    keyed = re.match(r"[a-z]{2,8}-\d{1,5}(?![\w-])", path.stem.replace("_", " "))
    key = version.metadata.key.casefold()
    return frozenset({path.name, path.stem, key, *([keyed[0]] if keyed else [])})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What a policy may be called by."""

    words: frozenset[str]
    """Stems of its title, its key and its file, and two words of the title in one."""
    initials: frozenset[str]
    """Of its title, with joining words and without."""
    wholes: tuple[frozenset[str], ...]
    """Words of which each set alone names it whole."""


@lru_cache(maxsize=4_096)
def _names(title: str, key: str, source_name: str) -> _Names:
    said = [
        part
        for token in _TOKEN.findall(title.casefold())
        for part in re.split(r"[-_/]", token)
        if part
    ]
    letters = [word for word in said if word not in _JOINS and stem(word) not in _KINDS]
    joined = {stem(one + other) for one, other in pairwise(said)}
    initials = {
        "".join(word[0] for word in sequence[:last])
        for sequence in (letters, [one for one in said if stem(one) not in _KINDS], said)
        for last in range(2, min(len(sequence), 6) + 1)
    }
    wholes = [
        frozenset(_telling(_TOKEN.findall(one.casefold()), is_whole=True))
        for one in (title, key, PurePath(source_name).stem)
    ]
    every = frozenset(word for whole in wholes for word in whole)
    return _Names(
        words=every | joined,
        initials=frozenset(initials),
        wholes=tuple(whole for whole in wholes if whole),
    )

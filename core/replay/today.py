"""What a recorded question would be answered today, beside what was answered then."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain.json_value import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A quoted stretch of a policy, then and now."""

    policy: str
    """Key of the policy."""
    section: str
    """Number or title of the section: that of now, or that of then where nothing is quoted now."""
    then: str
    """As it was quoted then; empty: it was not."""
    now: str
    """As it is quoted now; empty: it is not."""

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """The clause as runs of words with a mark: `-` taken away, `+` added, a blank kept."""
        then, now = self.then.split(), self.now.split()
        runs: list[tuple[str, str]] = []
        for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, then, now, False).get_opcodes():
            if kind == "equal":
                runs.append((" ", " ".join(then[i1:i2])))
                continue
            runs += [("-", " ".join(then[i1:i2]))] if i2 > i1 else []
            runs += [("+", " ".join(now[j1:j2]))] if j2 > j1 else []
        return tuple(runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """One thing of an answer that is another one today."""

    what: str
    """`outcome`, `refusal`, `badge`, `text`, `notes` or `assumptions`."""
    then: str
    """What it was; empty: nothing."""
    now: str
    """What it is; empty: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChanges:
    """How two answers to one question differ."""

    changes: tuple[FactChange, ...]
    """In the order in which an officer looks at them."""
    dropped: tuple[str, ...]
    """Statements made then that are not made now."""
    added: tuple[str, ...]
    """Statements made now that were not made then."""
    clauses: tuple[Clause, ...]
    """Quotes that are not the same."""
    moved: tuple[tuple[str, str], ...]
    """The same quotes in other places: where they stood, and where they stand."""

    @property
    def is_same(self) -> bool:
        """True if people are told the same: outcome, statements and the words quoted."""
        told = {"outcome", "refusal"} & {change.what for change in self.changes}
        return not (told or self.dropped or self.added or self.clauses)


def changes_between(then: JsonObject, now: JsonObject) -> AnswerChanges:
    """Compare two answers, as `answer_json` writes them."""
    said, says = _claims(then), _claims(now)
    clauses, moved = _clauses(then["citations"], now["citations"])
    return AnswerChanges(
        changes=tuple(
            FactChange(what=what, then=before, now=after)
            for what, before, after in _facts(then, now)
            if before != after
        ),
        dropped=tuple(claim for claim in said if claim not in says),
        added=tuple(claim for claim in says if claim not in said),
        clauses=clauses,
        moved=moved,
    )


def _facts(then: JsonObject, now: JsonObject) -> Sequence[tuple[str, str, str]]:
    def of(answer: JsonObject) -> list[str]:
        return [
            answer["outcome"],
            answer["refusal"] or "",
            answer["confidence"]["badge"] or "",
            "\n".join(answer["assumptions"]),
            "\n".join(answer["notes"]),
            answer["answer"],
        ]

    names = ("outcome", "refusal", "badge", "assumptions", "notes", "text")
    return list(zip(names, of(then), of(now), strict=True))


def _claims(answer: JsonObject) -> list[str]:
    return [_folded(claim["text"]) for claim in answer["claims"]]


def _folded(text: str) -> str:
    return " ".join(text.split())


def _where(citation: Mapping[str, Any]) -> str:
    return str(citation["section"] or citation["section_title"])


def _clauses(
    then: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]
) -> tuple[tuple[Clause, ...], tuple[tuple[str, str], ...]]:
    """Pair the quotes of two answers: equal words first, then those most alike of one policy."""
    left, moved = list(now), list[tuple[str, str]]()
    changed: list[Mapping[str, Any]] = []
    for old in then:
        same = next((new for new in left if _folded(new["quote"]) == _folded(old["quote"])), None)
        if same is None:
            changed.append(old)
            continue
        left.remove(same)
        places = tuple(f"{one['policy']} {_where(one)}" for one in (old, same))
        if places[0] != places[1]:
            moved.append((places[0], places[1]))
    clauses: list[Clause] = []
    for old in changed:
        new = _nearest(old, left)
        if new is not None:
            left.remove(new)
        clauses.append(_clause(old, new))
    return (*clauses, *(_clause(None, new) for new in left)), tuple(moved)


def _nearest(
    old: Mapping[str, Any], among: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    of_policy = [new for new in among if new["policy"] == old["policy"]]
    alike = difflib.get_close_matches(old["quote"], [new["quote"] for new in of_policy], n=1)
    if alike:
        return next(new for new in of_policy if new["quote"] == alike[0])
    return next((new for new in of_policy if _where(new) == _where(old)), None)


def _clause(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Clause:
    known = new or old or {}
    return Clause(
        policy=str(known["policy"]),
        section=_where(known),
        then=old["quote"] if old else "",
        now=new["quote"] if new else "",
    )

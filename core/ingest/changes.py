"""What a synchronisation or an ingestion changed, policy by policy, in words and numbers. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.domain.codec import json_of
from core.domain.json_value import Json
from core.domain.policy_facts import SectionChanges

NAMED = 3
"""Sections that are named of each kind."""
NAME = 60
"""Characters of a section's name, and of a title, an owner and the like."""
BECAME = "\u2192"

NO_SECTIONS = SectionChanges(added=(), changed=(), removed=())
UNSOUGHT = (
    "contradictions were not checked, because there is too much to compare: run `citebound"
    " corpus validate`"
)
Became = Literal["added", "revised", "reread", "described", "restored", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPolicy:
    """What became of one policy."""

    key: str
    """The policy."""
    title: str
    """Of its newest version."""
    owner: str | None
    """Who answers for it, as its document says; None: it does not."""
    became: Became
    """`reread`: other facts were read from the same text; `described`: the text is the same, and
    what is known of it beside may be something else; `restored`: it was withdrawn, and is in force
    again."""
    is_public: bool
    """True: everyone may read it."""
    sections: SectionChanges = NO_SECTIONS
    """How its sections differ; of a new policy all are added."""
    details: tuple[str, ...] = ()
    """What is known of it beside its text, and has changed: "owner: Finance \u2192 Legal"."""
    opened: int = 0
    """Rules, figures and definitions that are new."""
    closed: int = 0
    """Those that it states no more."""
    new_figures: tuple[str, ...] = ()
    """Amounts and times that are new, in text order: "at most 150 EUR"."""
    old_figures: tuple[str, ...] = ()
    """Those that it states no more."""
    conflicts: tuple[str, ...] = ()
    """Rules that contradict each other since, a line each."""
    is_counted: bool = True
    """False: there were too many to compare all, and this one was not."""

    @property
    def is_of_interest(self) -> bool:
        """False: it was published anew, and says what it said."""
        said = self.sections != NO_SECTIONS or self.opened or self.closed or self.details
        is_as_before = self.became in {"revised", "reread", "described"} and self.is_counted
        return bool(said or self.conflicts) or not is_as_before


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusChanges:
    """What changed at once."""

    policies: tuple[ChangedPolicy, ...] = ()
    """By key."""
    before: int = 0
    """The edition before: `corpus changes --since` lists the same."""
    are_conflicts_sought: bool = True
    """False: there is too much to compare for contradictions to be sought here."""

    @property
    def of_interest(self) -> "CorpusChanges":
        """What is worth a message: all but what says what it said."""
        return replace(self, policies=tuple(one for one in self.policies if one.is_of_interest))


NO_CHANGES = CorpusChanges()


def change_line(change: ChangedPolicy, *, names_conflicts: bool = True) -> str:
    """Say in a line what became of a policy."""
    head = f"{change.title} ({change.key})"
    if change.became == "withdrawn":
        return f"{head}: withdrawn"
    said = [_KINDS[change.became], *_sections(change)]
    if not change.is_counted:
        return f"{head}: {said[0]}"
    facts = [
        f"{count} {word}{_figures(figures)}"
        for count, word, figures in (
            (change.opened, "new", change.new_figures if change.closed else ()),
            (change.closed, "gone", change.old_figures),
        )
        if count
    ]
    if facts:
        said.append(f"facts: {', '.join(facts)}")
    said += change.details
    if change.conflicts:
        count = f"{len(change.conflicts)} contradiction{'s' * (len(change.conflicts) > 1)} found"
        said.append(f"{count}: {'; '.join(change.conflicts[:NAMED])}" if names_conflicts else count)
    return f"{head}: {'; '.join(said)}"


_KINDS = {
    "added": "new policy",
    "revised": "new version",
    "reread": "facts read again",
    "described": "same text",
    "restored": "in force again",
}


def _sections(change: ChangedPolicy) -> list[str]:
    found = change.sections
    if change.became == "added":
        return [_count(len(found.added), "section")] if found.added else []
    said = [
        f"{_count(len(names), 'section')} {word} ({_named(names)})"
        for names, word in (
            ([*map(_cut, found.changed)], "changed"),
            ([*map(_cut, found.added)], "added"),
            ([*map(_cut, found.removed)], "removed"),
        )
        if names
    ]
    if found.moved:
        moved = _named([f"{_cut(was)} {BECAME} {_cut(now)}" for was, now in found.moved])
        said.append(f"{_count(len(found.moved), 'section')} renumbered or renamed ({moved})")
    if not said and change.became == "revised":
        return ["no section changed"]
    return said


def _named(names: Sequence[str]) -> str:
    shown = [_cut(one, 2 * NAME + len(BECAME) + 2) for one in names[:NAMED]]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join([*shown, *more])


def _figures(figures: Sequence[str]) -> str:
    return f" ({_named(figures)})" if figures else ""


def _cut(name: str, most: int = NAME) -> str:
    name = " ".join(name.split())
    return name if len(name) <= most else f"{name[: most - 1]}\u2026"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def detail(name: str, was: str, now: str) -> str:
    """Say what else is known of a policy than before: "owner: Finance \u2192 Legal"."""
    return f"{name}: {_cut(was) or 'none'} {BECAME} {_cut(now) or 'none'}"


def change_lines(
    changes: CorpusChanges, *, most: int, names_all: bool, names_conflicts: bool = True
) -> list[str]:
    """Say what changed, a line a policy, cut where there are more.

    Args:
        changes: What.
        most: Lines of policies.
        names_all: False: policies that not everyone may read are counted, and not named.
        names_conflicts: False: contradictions are counted, as they quote other policies.
    """
    shown = [one for one in changes.policies if names_all or one.is_public]
    lines = [change_line(one, names_conflicts=names_conflicts) for one in shown[:most]]
    if len(shown) > most:
        lines.append(f"and {len(shown) - most} more policies")
    if hidden := len(changes.policies) - len(shown):
        whose = "policy that not everyone may read" if hidden == 1 else "policies not for everyone"
        lines.append(f"and {hidden} {whose}")
    if len(lines) > len(shown[:most]):
        lines[-1] += f": {listing_command(changes)} lists all"
    if not names_conflicts and any(one.conflicts for one in shown[:most]):
        lines.append(f"{listing_command(changes)} says what contradicts what")
    if lines and not changes.are_conflicts_sought:
        lines.append(UNSOUGHT)
    return lines


def listing_command(changes: CorpusChanges) -> str:
    """Return the command that lists the same changes with all their words."""
    since = f" --since edition:{changes.before}" if changes.before else ""
    return f"`citebound corpus changes{since}`"


def change_json(change: ChangedPolicy) -> dict[str, Json]:
    """Return what became of a policy, with all names."""
    return json_of(
        change,
        "policy=key title owner became sections facts details conflicts",
        sections=json_of(
            change.sections,
            "added changed removed moved",
            moved=[{"before": was, "now": now} for was, now in change.sections.moved],
        ),
        facts=json_of(change, "opened closed new_figures old_figures"),
    )


def change_counts(change: ChangedPolicy) -> dict[str, Json]:
    """Return the same in numbers, for the record."""
    return json_of(
        change,
        "policy=key became sections details facts conflicts",
        sections={name: len(names) for name, names in json_of(change.sections).items()},
        details=[detail.partition(":")[0] for detail in change.details],
        facts=json_of(change, "opened closed"),
        conflicts=len(change.conflicts),
    )

"""The officers' card of an edition that affects past answers: what changed, and what can be done.

It stands where only officers read, as the card of a case does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.replies.buttons import TELL_ASKERS, Button
from bot.replies.notices import moment
from bot.replies.safe_text import line
from core.domain.affected import AffectedEdition, ChangedClause, ClauseChange
from core.language.interface.texts import Text
from core.language.languages import Language

PAGE = "/officer/affected/{edition}"
"""Of the console."""
TITLE = 120
QUOTE = 280
"""Characters of a policy's title, and of what stood in it or stands there now."""
_BECAME = {
    ClauseChange.CHANGED: Text("other words", "anderer Wortlaut"),
    ClauseChange.REMOVED: Text("the section is gone", "der Abschnitt ist entfallen"),
    ClauseChange.AMENDED: Text(
        "the quote still holds, but the text around it changed",
        "das Zitat gilt, der Text darum hat sich geändert",
    ),
    ClauseChange.WITHDRAWN: Text("the policy is withdrawn", "die Richtlinie ist zurückgezogen"),
    ClauseChange.ENDED: Text("the policy is out of force", "die Richtlinie ist außer Kraft"),
}
NOW = Text("Now", "Jetzt")
_ONE = Text(
    "1 past answer is affected by edition {edition}",
    "1 frühere Antwort beruht auf etwas, das Ausgabe {edition} geändert hat",
)
_MANY = Text(
    "{total} past answers are affected by edition {edition}",
    "{total} frühere Antworten beruhen auf etwas, das Ausgabe {edition} geändert hat",
)
_MORE = Text("and {count} more", "und {count} weitere")
_LOOK_FIRST, _LOOK = Text("Look first", "Erst ansehen"), Text("Look", "Ansehen")
_LISTED = Text(
    "“citebound audit affected --edition {edition}” lists the answers.",
    "„citebound audit affected --edition {edition}“ listet die Antworten auf.",
)
_VERSION = Text("version {old}", "Fassung {old}")
_VERSIONS = Text("version {old} to {new}", "Fassung {old} zu {new}")
_ONE_ANSWER = Text("1 answer", "1 Antwort")
_ANSWERS = Text("{count} answers", "{count} Antworten")
_APPROVED = Text(
    "Approved by {officers} on {at}: {told} of {approved} told",
    "Freigegeben von {officers} am {at}: {told} von {approved} informiert",
)
_UNDER_WAY = Text("{count} in progress", "{count} in Prüfung")
_SAME = Text("{count} unchanged", "{count} heute unverändert")
_DROPPED = Text(
    "{count} with nobody left to tell, or nothing left to say",
    "{count} ohne jemanden, der zu informieren wäre, oder ohne Neues",
)
_FAILED = Text("{count} could not be answered again", "{count} ließen sich nicht neu geben")
_UNDECIDED = Text(
    "{count} undecided: nobody is told until an officer approves",
    "{count} nicht entschieden: Vor einer Freigabe wird niemand informiert",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseView:
    """One clause that changed."""

    head: str
    """Policy, section, versions, and what became of it."""
    before: str
    """What was quoted; empty if nothing was recorded of it."""
    after: str
    """What stands there now, or was added; empty if nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedView:
    """The parts of a card."""

    title: str
    """How many past answers."""
    clauses: tuple[ClauseView, ...]
    left_out: str
    """How many clauses more; empty if none."""
    states: tuple[str, ...]
    """What was decided, and what came of it."""
    button: Button | None
    """Approves; None: nothing waits."""
    link_text: str
    """Of the link to the console."""


def affected_view(affected: AffectedEdition, language: Language = Language.ENGLISH) -> AffectedView:
    """Return the parts of a card."""
    total, left_out = affected.total, affected.clauses_left_out
    title = (_ONE if total == 1 else _MANY).format(total=total, edition=affected.edition)
    return AffectedView(
        title=title.of(language),
        clauses=tuple(_clause(one, language) for one in affected.clauses),
        left_out=_MORE.format(count=left_out).of(language) if left_out else "",
        states=tuple(one.of(language) for one in _states(affected)),
        button=TELL_ASKERS if affected.waiting else None,
        link_text=(_LOOK_FIRST if affected.waiting else _LOOK).of(language),
    )


def without_console(affected: AffectedEdition) -> Text:
    """Say where the answers are listed if there is no console."""
    return _LISTED.format(edition=affected.edition)


def _clause(clause: ChangedClause, language: Language) -> ClauseView:
    where = ", ".join(filter(None, (clause.title, clause.section)))
    old, new = clause.old_version, clause.new_version
    versions = _VERSION.format(old=old) if new is None else _VERSIONS.format(old=old, new=new)
    answers = _ONE_ANSWER if clause.answers == 1 else _ANSWERS.format(count=clause.answers)
    return ClauseView(
        head=" · ".join(
            (
                line(where, limit=TITLE),
                line(versions.of(language), limit=60),
                _BECAME[clause.change].of(language),
                answers.of(language),
            )
        ),
        before=line(clause.before or "", limit=QUOTE),
        after=line(clause.after or "", limit=QUOTE),
    )


def _states(affected: AffectedEdition) -> Iterator[Text]:
    if affected.approved_by and affected.approved_at is not None:
        yield _APPROVED.format(
            officers=", ".join(line(one, limit=60) for one in affected.approved_by),
            at=moment(affected.approved_at),
            told=affected.told,
            approved=affected.approved,
        )
    counts = (
        (affected.under_way, _UNDER_WAY),
        (affected.confirmed, _SAME),
        (affected.dropped, _DROPPED),
        (affected.failed, _FAILED),
        (affected.waiting, _UNDECIDED),
    )
    yield from (words.format(count=count) for count, words in counts if count)

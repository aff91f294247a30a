"""How sources, their documents and what a synchronisation came to are shown."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from rich.text import Text

from bot.console.views.terminal import Row, one_line
from core.adapters.postgres.corpus.policy_readers import ShownReaders, SourceGroup
from core.domain.codec import json_of
from core.domain.errors import CiteboundError
from core.ingest.changes import CorpusChanges, change_json, change_lines, listing_command
from core.ingest.folder_listing import other_kinds
from core.sources.access import AccessReport
from core.sources.store import ItemState, KnownItem, SourceStatus, SyncReport

_PLACE = ("site", "url", "branch", "space", "library", "folder")
"""What of a location says where a source lies, in the order in which it is read."""
SHOWN = 20
"""Policies whose change is shown."""
LINE = 600
"""Characters of what is said of one policy."""
_STATES = {
    ItemState.STORED: "green",
    ItemState.FAILED: "red",
    ItemState.GONE: "yellow",
    ItemState.WITHDRAWN: "dim",
}


def status_row(one: SourceStatus) -> Row:
    """Say how current a source is."""
    source = one.source
    where = ", ".join(source.location[one] for one in _PLACE if source.location.get(one))
    lines = [Text(f"{source.name}: {source.kind}, {one_line(where)}")]
    counts = ", ".join(f"{count} {state}" for state, count in sorted(one.items.items()))
    when = _minute(one.synced_at)
    lines.append(Text(f"last synchronised: {when}; {counts or 'no documents yet'}", style="dim"))
    if one.others:
        lines.append(Text(f"{other_kinds(one.others)}: `sources show --others`", style="dim"))
    if one.error:
        again = f"; tried again at {_minute(one.due_at)}" if one.due_at else ""
        said = f"fails since {_minute(one.error_since)}: {one_line(one.error, limit=300)}{again}"
        lines.append(Text(said, style="red"))
    if gone := one.items.get(ItemState.GONE):
        said = f"{gone} gone, in force until `citebound sources withdraw {source.name}`"
        lines.append(Text(said, style="yellow"))
    lines += _access_lines(one)
    is_failing = one.error or one.access_error
    word, colour = ("failing", "red") if is_failing else ("current", "green")
    if one.synced_at is None and not is_failing:
        word, colour = "new", "yellow"
    return Row(heads=(Text(f"{word:<9}", style=colour),), lines=tuple(lines))


def status_json(one: SourceStatus) -> dict[str, object]:
    """Return the same as JSON."""
    return json_of(
        one,
        "source.name source.kind source.location source.every_s source.withdrawing synced_at error"
        " error_since due_at source.access_every_s access_read_at access_error access_error_since"
        " unread items others",
    )


def _access_lines(one: SourceStatus) -> list[Text]:
    """Say how current it is who may read the documents, where the source says that."""
    if one.access_due_at is None and one.access_read_at is None and not one.access_error:
        return []
    lines = [Text(f"who may read it: last read {_minute(one.access_read_at)}", style="dim")]
    if one.access_error:
        since, cause = _minute(one.access_error_since), one_line(one.access_error, limit=300)
        lines.append(Text(f"who may read it: fails since {since}: {cause}", style="red"))
    if one.unread:
        said = f"{one.unread} documents whose readers can't be read: `sources show` has them"
        lines.append(Text(said, style="yellow"))
    return lines


def _minute(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d %H:%M %Z}" if when else "never"


def item_row(one: KnownItem, readers: ShownReaders | None) -> Row:
    """Show a document with the policy that it is, and who may read it."""
    head = Text(f"{one.state.value:<9}", style=_STATES[one.state])
    lines = [Text(f"{one_line(one.path)}: {one.policy or 'no policy'}")]
    if one.reason:
        lines.append(Text(one_line(one.reason, limit=300), style="dim"))
    if readers is not None and one.policy:
        who = ", ".join(sorted(readers.audience)) or "nobody"
        lines.append(Text(f"its source lets read it: {who}", style="dim"))
        if readers.problem:
            said = f"its readers can't be read: {one_line(readers.problem, limit=300)}"
            lines.append(Text(said, style="yellow"))
    return Row(heads=(head,), lines=tuple(lines))


def item_json(one: KnownItem, readers: ShownReaders | None) -> dict[str, object]:
    """Return the same as JSON."""
    audience, problem = (readers.audience, readers.problem) if readers else (None, None)
    names = "item=item_id path state policy reason"
    return json_of(one, names, readers=audience, readers_problem=problem)


def report_lines(name: str, report: SyncReport) -> list[Text | Row]:
    """Say what a synchronisation came to."""
    counts = ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in _counts(report))
    lines: list[Text | Row] = [Text(f"{name}: {counts}")]
    if report.others:
        said = f"{other_kinds(report.others)}: `citebound sources show {name} --others`"
        lines.append(Text(said, style="dim"))
    lines += changed_rows(report.compared)
    if report.held_back:
        keys = ", ".join(report.held_back[:10])
        more = f" and {len(report.held_back) - 10} more" if len(report.held_back) > 10 else ""  # noqa: PLR2004
        lines.append(
            Text(
                f"gone, and still in force: {keys}{more}: `citebound sources withdraw {name}` takes"
                " them out of force",
                style="yellow",
            )
        )
    return lines


def _counts(report: SyncReport) -> list[tuple[str, int]]:
    said = report.as_json()
    return [(one, n) for one, n in said.items() if n and one != "others"] or [("unchanged", 0)]


def report_json(said: SyncReport | CiteboundError) -> dict[str, object]:
    """Return the same as JSON, or why it failed."""
    if isinstance(said, CiteboundError):
        return {"error": str(said)}
    return {
        **said.as_json(),
        "withdrawn": list(said.withdrawn),
        "held_back": list(said.held_back),
        "changes": [change_json(one) for one in said.compared.policies],
    }


def changed_rows(changes: CorpusChanges) -> list[Row]:
    """Say what changed, policy by policy, as far as it fits on a screen.

    A new policy that contradicts none was named when it was added.
    """
    news = [one for one in changes.policies if one.became != "added" or one.conflicts]
    lines = change_lines(replace(changes, policies=tuple(news)), most=SHOWN, names_all=True)
    head = Text(f"{'changed':<9}", style="cyan")
    more = f"{listing_command(changes)} says the rest"
    return [
        Row(
            heads=(head,),
            lines=(
                Text(one_line(one, limit=LINE)),
                *([Text(more, style="dim")] if len(one) > LINE else ()),
            ),
        )
        for one in lines
    ]


def access_lines(name: str, report: AccessReport) -> list[Text]:
    """Say what reading the readers of a source came to."""
    lines: list[Text] = []
    if report.changed:
        lines.append(Text(f"{name}: {readers_changed(len(report.changed))}"))
    if report.unread:
        lines.append(
            Text(
                f"the readers of {counted(report.unread, 'document')} can't be read, and those whom"
                f" the source named last still read them: `citebound sources show {name}`",
                style="yellow",
            )
        )
    if report.unnamed:
        are = "is no group" if report.unnamed == 1 else "are no groups"
        lines.append(
            Text(
                f"{counted(report.unnamed, 'group')} of readers {are} of ours, and let nobody read:"
                f" `citebound sources groups {name}`",
                style="yellow",
            )
        )
    return lines


def readers_changed(policies: int) -> str:
    """Say of how many policies the readers changed."""
    return f"readers of {counted(policies, 'policy', 'policies')} have changed"


def counted(number: int, what: str, many: str = "") -> str:
    """Return a number with its noun, in the plural where it needs that."""
    return f"{number} {what if number == 1 else many or f'{what}s'}"


def group_rows(name: str, found: Sequence[SourceGroup]) -> list[Row | Text]:
    """Show the groups that a source names as readers."""
    if not found:
        return [
            Text(f"{name} names no groups, or was not read yet: `citebound sources sync {name}`")
        ]
    return [
        Row(
            heads=(Text(f"{_documents(one.documents):<14}", style="dim"),),
            lines=(
                Text(f"{one_line(one.group_id)}: {', '.join(sorted(one.audience))}")
                if one.audience
                else Text(
                    f"{one_line(one.group_id)}: no group of ours, so that nobody reads for being of"
                    f" it: `citebound sources groups {name} {one_line(one.group_id)} GROUP`",
                    style="yellow",
                ),
            ),
        )
        for one in found
    ]


def _documents(count: int) -> str:
    return f"{count} document{'' if count == 1 else 's'}"

"""`citebound sources remove` and `citebound corpus readers`: what stays when a source is forgotten.

Its policies stay in force, and so does what it said last of who may read them: whoever forgets it
says what becomes of the former, and may lift the latter.
"""

import asyncio
import shutil
from collections.abc import Sequence

from rich.text import Text

from bot.console.open_service import open_service
from bot.console.sources.opening import open_sources
from bot.console.views.terminal import Row, Terminal, one_line, open_terminal
from core.adapters.postgres.corpus.policy_readers import LastWord
from core.adapters.sources.connect import checkout_of
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.codec import json_of
from core.domain.errors import UsageError
from core.sources.store import ItemState, KnownItem

SHOWN = 10
"""Policies that are named before a question."""


def remove(*, name: str, keep: bool, withdraws: bool, is_sure: bool) -> int:
    """Forget a source, and keep its policies or withdraw them; 0."""
    if keep and withdraws:
        raise UsageError("--keep leaves its policies in force, --withdraw ends them: give one")
    terminal = open_terminal()
    asyncio.run(_remove(terminal, name, keep=keep, withdraws=withdraws, is_sure=is_sure))
    # Its texts are not to stay behind; other machines that worked keep theirs.
    shutil.rmtree(checkout_of(Settings.from_environment(), name), ignore_errors=True)
    return 0


async def _remove(
    terminal: Terminal, name: str, *, keep: bool, withdraws: bool, is_sure: bool
) -> None:
    async with open_service(Service, terminal, Settings.from_environment()) as service:
        held = [one for one in await service.sources.items(name) if _is_in_force(one)]
        if held and not (keep or withdraws):
            withdraws = _asked(terminal, name, held)
        elif held and withdraws and not is_sure:
            _confirm(terminal, name, held)
        if not held or not withdraws:
            await service.sources.remove(name)
            stays = "stays" if len(held) == 1 else "stay"
            kept = f"its {_policies(len(held))} {stays} in force" if held else "it held no policy"
            terminal.show(Text(f"{name}: followed no more; {kept}"))
            words = [one for one in await service.sources.access.last_words() if one.source == name]
            if words:
                terminal.show(Text(_says_on(name, words), style="yellow"))
            return
        lease = await service.sources.lease(name)
        try:
            for one in held:
                await service.source_sync.withdraw(
                    one.policy or "", reason=f"its source {name} is no longer followed: {one.path}"
                )
        finally:
            await service.sources.release(lease)
        await service.sources.remove(name)
        terminal.show(
            Text(f"{name}: followed no more; {_policies(len(held))} withdrawn from today on")
        )


def _is_in_force(one: KnownItem) -> bool:
    return one.policy is not None and one.state is not ItemState.WITHDRAWN


def _asked(terminal: Terminal, name: str, held: Sequence[KnownItem]) -> bool:
    """Ask what becomes of policies; True: they are withdrawn."""
    if not terminal.is_interactive:
        raise UsageError(
            f"{name} holds {_policies(len(held))}: add --keep, so that they stay in force, or"
            " --withdraw --yes"
        )
    terminal.show(*_named(held))
    said = _answer(terminal, f"Keep {_policies(len(held))} in force, or withdraw? [keep/withdraw] ")
    if said in {"keep", "k"}:
        return False
    if said in {"withdraw", "w"}:
        return True
    raise UsageError("nothing was done: please answer keep or withdraw")


def _confirm(terminal: Terminal, name: str, held: Sequence[KnownItem]) -> None:
    if not terminal.is_interactive:
        raise UsageError(f"{_policies(len(held))} of {name} would be withdrawn: add --yes")
    terminal.show(*_named(held))
    if _answer(terminal, f"Withdraw {_policies(len(held))} from today on? [y/N] ") not in _YES:
        raise UsageError("nothing was done")


_YES = frozenset({"y", "yes"})


def _answer(terminal: Terminal, question: str) -> str:
    try:
        return terminal.out.input(Text(question)).strip().lower()
    except EOFError:
        return ""


def _named(held: Sequence[KnownItem]) -> list[Text]:
    lines = [Text(f"{one_line(one.path)}: {one.policy}") for one in held[:SHOWN]]
    more = len(held) - SHOWN
    return [*lines, Text(f"and {more} more", style="dim")] if more > 0 else lines


def _policies(count: int) -> str:
    return f"{count} {'policy' if count == 1 else 'policies'}"


def _says_on(name: str, words: Sequence[LastWord]) -> str:
    return (
        f"who may read {_policies(len(words))} stays as {name} said last:"
        f" `citebound corpus readers --source {name}` lists them, and with --lift those read them"
        " whom their texts name"
    )


def readers(
    *, keys: Sequence[str], source: str | None, lifts: bool, is_sure: bool, as_json: bool
) -> int:
    """List what sources said last of who may read policies, or lift it; 0."""
    terminal = open_terminal()
    if lifts and not (keys or source):
        raise UsageError("say for which policies: their keys, or --source NAME")
    if lifts and not is_sure and not (terminal.is_interactive and not as_json):
        raise UsageError(
            "--lift lets more people read, and there is no terminal to confirm on: add --yes"
        )
    asyncio.run(_readers(terminal, keys, source, lifts=lifts, is_sure=is_sure, as_json=as_json))
    return 0


async def _readers(
    terminal: Terminal,
    keys: Sequence[str],
    source: str | None,
    *,
    lifts: bool,
    is_sure: bool,
    as_json: bool,
) -> None:
    async with open_sources() as stores:
        found = [
            one
            for one in await stores.sources.access.last_words()
            if (not keys or one.policy in keys) and source in {None, one.source}
        ]
        if missing := set(keys) - {one.policy for one in found}:
            raise UsageError(
                f"no source has said who may read {', '.join(sorted(missing))}:"
                " `citebound corpus readers` lists those of which one has"
            )
        if not lifts:
            if as_json:
                terminal.show_json([_json_of(one) for one in found])
                return
            nothing = Text("no source says who may read a policy: their texts do")
            terminal.show(*(map(_row, found) if found else [nothing]))
            return
        _refuse_followed(found)
        if found and not is_sure:
            terminal.show(*map(_row, found[:SHOWN]))
            question = f"Let those read {_policies(len(found))} whom their texts name? [y/N] "
            if _answer(terminal, question) not in _YES:
                raise UsageError("nothing was done")
        lifted = await stores.sources.access.lift([one.policy for one in found])
        if as_json:
            terminal.show_json(list(lifted))
            return
        terminal.show(Text(f"{_policies(len(lifted))}: read by those whom their texts name"))


def _refuse_followed(found: Sequence[LastWord]) -> None:
    followed = sorted({one.source for one in found if one.is_followed})
    if followed:
        name = followed[0]
        raise UsageError(
            f"{name} is followed, and says who may read them each time: `citebound sources groups"
            f" {name}`, or `citebound sources remove {name}` first"
        )


def _row(one: LastWord) -> Row:
    """Say who may read a policy by its source, and by its text."""
    by = f"{one.source} says" if one.is_followed else f"{one.source} said last, and says no more"
    lines = (
        Text(f"{one_line(one.policy)}: {one_line(one.title)}"),
        Text(f"{by}: {_groups(one.audience)}; its text: {_groups(one.of_text)}", style="dim"),
    )
    word, colour = ("followed", "green") if one.is_followed else ("last word", "yellow")
    return Row(heads=(Text(f"{word:<9}", style=colour),), lines=lines)


def _groups(audience: frozenset[str]) -> str:
    return ", ".join(sorted(audience)) or "nobody"


def _json_of(one: LastWord) -> dict[str, object]:
    return json_of(one, "policy title source readers=audience text_readers=of_text is_followed")

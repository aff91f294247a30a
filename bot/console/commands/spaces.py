"""`citebound corpus embed` and `corpus spaces`: build, switch, list and drop embedding spaces."""

import asyncio
from collections.abc import Sequence

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from bot.console.views.terminal import Row, Terminal, one_line, open_terminal
from core.adapters.postgres.answer_stores import AnswerStores
from core.config.settings import Settings
from core.domain.codec import json_of
from core.domain.errors import ConfigError
from core.ingest.embedding_space import Built, build_space, drop_kept
from core.models import Embedders, open_embedders
from core.opening import open_stores
from core.ports import Embedder
from core.ports.search import SpaceState, SpaceStore, StoredSpace
from core.retrieval.serving_embedder import NoEmbedder

CHARACTERS_A_TOKEN = 4
"""Of English prose, roughly: for an estimate of the bill."""


def list_spaces(*, as_json: bool) -> int:
    """List the embedding spaces."""
    asyncio.run(_list(open_terminal(), as_json=as_json))
    return 0


def embed(*, space: str | None, dry_run: bool, keep_old: bool, as_json: bool) -> int:
    """Build a space and let it serve, or say what that would take."""
    terminal = open_terminal()
    if dry_run:
        asyncio.run(_preview(terminal, space, as_json=as_json))
    else:
        asyncio.run(_embed(terminal, space, keep_old=keep_old, as_json=as_json))
    return 0


async def build_with_progress(terminal: Terminal, spaces: SpaceStore, embedder: Embedder) -> Built:
    """Build the embedder's space and let it serve; a bar counts texts at a terminal.

    Raises:
        CiteboundError: See `build_space`.
    """
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=terminal.err,
        transient=True,
        disable=not terminal.err.is_terminal,
    )
    with bar:
        task = bar.add_task(f"Embedding in {one_line(embedder.space.name)}", total=None, rate="")

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            speed = bar.tasks[0].speed
            bar.update(task, rate=f"{speed:,.0f} texts/s" if speed else "")

        return await build_space(spaces, embedder, progress=show)


def built_lines(built: Built, *, is_old_kept: bool = True) -> list[Text]:
    """Return what was done."""
    name = one_line(built.space.name)
    if not built.texts and not built.has_switched:
        return [Text(f"{name} serves, and every chunk has its vector: nothing to do.")]
    lines = [Text(f"{built.texts:,} texts embedded in {name}.")]
    if built.has_switched:
        kept = ""
        if built.previous is not None and is_old_kept:
            old = one_line(built.previous.name)
            kept = f"; {old} is kept: `citebound corpus embed --space {old}` switches back"
        lines.append(Text(f"It serves now{kept}."))
    return lines


async def _list(terminal: Terminal, *, as_json: bool) -> None:
    async with open_stores(AnswerStores) as stores:
        found = await stores.spaces.spaces()
    if as_json:
        terminal.show_json([_as_json(one) for one in found])
    else:
        terminal.show(*_rows(found))


async def _embed(terminal: Terminal, space: str | None, *, keep_old: bool, as_json: bool) -> None:
    settings = Settings.from_environment()
    async with (
        open_embedders(settings) as embedders,
        open_stores(AnswerStores, settings) as stores,
    ):
        built = await build_with_progress(terminal, stores.spaces, _wanted(embedders, space))
        dropped = {} if keep_old else await drop_kept(stores.spaces)
    if as_json:
        terminal.show_json(
            {
                "space": built.space.name,
                "texts_embedded": built.texts,
                "has_switched": built.has_switched,
                "previous": built.previous.name if built.previous else None,
                "dropped": dropped,
            }
        )
        return
    terminal.show(*built_lines(built, is_old_kept=keep_old))
    terminal.show(
        *(Text(f"{one_line(name)} was dropped, with {n:,} vectors.") for name, n in dropped.items())
    )


def _wanted(embedders: Embedders, name: str | None) -> Embedder:
    """Return the embedder of the space that is named, or the one that is set up."""
    found = embedders.named(name) if name else embedders.configured
    if isinstance(found, NoEmbedder):
        raise ConfigError(f"nothing embeds in {name or 'any space'}: {found.reason}")
    return found


async def _preview(terminal: Terminal, space: str | None, *, as_json: bool) -> None:
    settings = Settings.from_environment()
    async with (
        open_embedders(settings) as embedders,
        open_stores(AnswerStores, settings) as stores,
    ):
        embedder = _wanted(embedders, space)
        gap, serving = await stores.spaces.gap(embedder.space), await stores.spaces.serving()
    tokens = gap.characters // CHARACTERS_A_TOKEN
    serves = serving is not None and serving.identity == embedder.space.identity
    if as_json:
        terminal.show_json(
            {
                "space": embedder.space.name,
                "serves": serves,
                "chunks": gap.chunks,
                "texts": gap.texts,
                "characters": gap.characters,
                "tokens_about": tokens,
            }
        )
        return
    name = one_line(embedder.space.name)
    terminal.show(
        Text(
            f"{name} lacks {gap.chunks:,} chunks: {gap.texts:,} texts would be embedded,"
            f" about {tokens:,} tokens."
        ),
        Text(f"{name} serves." if serves else f"Then {name} would serve."),
        Text("Nothing was changed.", style="dim"),
    )


def _rows(found: Sequence[StoredSpace]) -> list[Row | Text]:
    if not found:
        return [Text("No chunk was ever embedded: search is lexical alone.")]
    width = max(len(one_line(one.space.name)) for one in found)
    return [
        Row(
            heads=(
                Text(f"{one.state.value:<8}", style="green" if _serves(one) else "dim"),
                Text(f"{one_line(one.space.name):<{width}}", style="cyan"),
            ),
            lines=(
                Text(
                    f"{one.embedded:,} vectors of {one.space.dimensions} dimensions,"
                    f" {one.missing:,} chunks lack one"
                ),
            ),
        )
        for one in found
    ]


def _serves(one: StoredSpace) -> bool:
    return one.state is SpaceState.SERVING


def _as_json(one: StoredSpace) -> dict[str, object]:
    names = "space=space.name state space.dimensions space.revision embedded missing"
    return json_of(one, names)

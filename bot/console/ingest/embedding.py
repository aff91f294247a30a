"""Build an embedding space with a progress bar, and say what was done."""

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from bot.console.views.safe_text import one_line
from bot.console.views.terminal import Terminal
from core.ingest.embed import Built, build_space
from core.ports import Embedder
from core.ports.spaces import SpaceStore


async def build_with_progress(terminal: Terminal, spaces: SpaceStore, embedder: Embedder) -> Built:
    """Build the embedder's space and let it serve; a bar counts texts at a terminal.

    Raises:
        CiteboundError: See `build_space`.
    """
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        console=terminal.err,
        transient=True,
        disable=not terminal.err.is_terminal,
    )
    with bar:
        task = bar.add_task(f"Embedding in {one_line(embedder.space.name)}", total=None)
        return await build_space(
            spaces,
            embedder,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


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

"""How well code tells a right rendering of a statement from an altered one.

`languages/renderings-tune.tsv` was written before the checks were run on it, which were mended by
what it showed; `languages/renderings-test.tsv` was written after that, and read once. A row has a
language, `right` or what was altered, the statement, its rendering, and what a faithful translation
back says. All were written by those who wrote the checks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from bot.console.views.terminal import open_terminal
from core.grounding.renderings import changed_in, read_back_differs
from core.language.languages import Language

FOLDER = Path(__file__).parent / "languages"
SETS = ("tune", "test")
RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRendering:
    """A labelled rendering, and what the checks say of it."""

    language: Language
    """Its own."""
    kind: str
    """`right`, or what was altered."""
    rendering: str
    """The text."""
    changed: str | None
    """Why code would not show it; None: it finds nothing."""
    differs: str | None
    """What its translation back says otherwise; None: nothing."""

    @property
    def is_shown(self) -> bool:
        """True if both let it pass."""
        return self.changed is None and self.differs is None


def judged_renderings(name: str) -> Iterator[JudgedRendering]:
    """Yield the renderings of a set, judged."""
    rows = (FOLDER / f"renderings-{name}.tsv").read_text("utf-8").splitlines()[1:]
    for row in rows:
        code, kind, statement, rendering, read_back = row.split("\t")
        language = Language(code)
        yield JudgedRendering(
            language=language,
            kind=kind,
            rendering=rendering,
            changed=changed_in(rendering, statement, wanted=language),
            differs=read_back_differs(read_back, statement),
        )


def run_renderings() -> int:
    """Print for each set and language what is turned away, and which altered ones pass."""
    terminal = open_terminal()
    table = Table(
        "set", "language", "right ones turned away", "altered ones found", "by code alone"
    )
    passed: list[str] = []
    for name in SETS:
        found = list(judged_renderings(name))
        for language in dict.fromkeys(one.language for one in found):
            ours = [one for one in found if one.language is language]
            right = [one for one in ours if one.kind == RIGHT]
            altered = [one for one in ours if one.kind != RIGHT]
            table.add_row(
                name,
                language.value,
                _share([not one.is_shown for one in right]),
                _share([not one.is_shown for one in altered]),
                _share([one.changed is not None for one in altered]),
            )
        passed += [
            f"{one.kind}: {one.rendering}" for one in found if one.kind != RIGHT and one.is_shown
        ]
    terminal.show(table, "Altered, and let pass:", *passed)
    return 0


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits)} of {len(hits)}"

"""An answer as a person at a terminal reads it. Pure: values in, renderables out.

Badge first, unless a person answered; then the answer with [n], then its sources: where each
stands, and the stored words. A clarification shows its options; a refusal names the nearest
sections (its words name the way to a person). All foreign text passes `safe` or `one_line`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.console.views.terminal import one_line, safe
from bot.replies.context import Library, address_at
from bot.replies.sections import section_title
from bot.replies.sources import sources
from core.agent.reply.text_blocks import BULLET, Paragraph, blocks
from core.agent.wording import ON_SAMPLES, UNCALIBRATED
from core.domain.answer import Answer, Badge, Outcome, RefusalKind
from core.domain.ontology import SectionRef
from core.domain.question import NOTHING_ASKED

_MARK = re.compile(r"\[\d+\]")
_BADGES: dict[Badge, tuple[str, str]] = {
    Badge.HIGH: ("● High confidence", "green"),
    Badge.MEDIUM: ("◐ Medium confidence", "yellow"),
    Badge.LOW: ("○ Low confidence", "red"),
}
_REFUSALS: dict[RefusalKind, str] = {
    RefusalKind.POLICY_SILENT: "not found in the policies",
    RefusalKind.NOT_FOUND: "nothing found that answers this reliably",
    RefusalKind.NOT_SURE: "nothing found that answers this reliably",
    RefusalKind.OUT_OF_SCOPE: "not a question about policies",
    RefusalKind.NOT_PERMITTED: "not found in the policies",
    RefusalKind.CONFLICT: "the policies contradict each other",
    RefusalKind.LANGUAGE: "not in this language",
}
"""`not_permitted` reads as `policy_silent`: nobody learns that something exists."""


def answer_view(answer: Answer) -> list[RenderableType]:
    """Return what to print for an outcome, from the badge to the notes."""
    view: list[RenderableType] = [*_body(answer.text)]
    if answer.slot not in NOTHING_ASKED and answer.precedent is None:
        view = [_headline(answer), Text(), *view]
    if answer.options:
        view += [Text(), *_options(answer.options)]
    if answer.quoted:
        view += [Text(), *sources_view(answer)]
    if answer.nearest and not answer.quoted:
        view += [Text(), *_nearest(answer.nearest)]
    remarks = list(_remarks(answer))
    return [*view, Text(), *remarks] if remarks else view


def sources_view(answer: Answer) -> Iterator[RenderableType]:
    """Return the quotes of an answer with where they stand, below the policy that has them."""
    library = Library().of(answer)
    yield Text("Sources", style="bold")
    for source in sources(answer.quoted, library):
        if source.is_first:
            yield safe(source.policy, style="bold")
        yield _indented(safe(source.section))
        place = source.quotes[0].place
        shelf = library.shelf(place)
        if shelf.url:
            address = one_line(address_at(shelf.url, shelf.file_name, place))
            yield _indented(Text(address, style="dim"))
        for citation in source.quotes:
            mark = Text(f"    [{citation.number}]", style="cyan")
            yield _beside(mark, [safe(f"“{citation.quote}”", style="italic")])
        if source.about:
            yield _indented(safe(source.about, style="dim"))


def _headline(answer: Answer) -> Text:
    match answer.outcome:
        case Outcome.ANSWERED:
            return _badge(answer)
        case Outcome.CLARIFICATION:
            return Text("? One thing first", style="bold cyan")
        case Outcome.REFUSED:
            return Text(_refused(answer), style="bold yellow")
        case Outcome.ESCALATED:
            return Text("→ This needs a person", style="bold yellow")
        case Outcome.IGNORED:
            return Text("· Not a question", style="dim")
        case Outcome.FAILED:
            return Text("! This went wrong", style="bold red")
        case _:
            assert_never(answer.outcome)


def _refused(answer: Answer) -> str:
    if answer.is_closest:
        return "◌ Closest passage"
    return f"✕ No answer: {_REFUSALS[answer.refusal]}" if answer.refusal else "✕ No answer"


def _badge(answer: Answer) -> Text:
    badge = answer.confidence.badge
    if badge is None:
        return Text("Confidence unknown", style="bold")
    words, colour = _BADGES[badge]
    text = Text(words, style=f"bold {colour}")
    if not answer.confidence.is_calibrated:
        on = (ON_SAMPLES if answer.confidence.is_on_samples else UNCALIBRATED).en
        text.append(f" · {on}", style="dim not bold")
    return text


def _body(words: str) -> Iterator[RenderableType]:
    """Yield paragraphs, parted by empty lines, and lists below what introduces them."""
    drawn = list(blocks(words)) or [Paragraph(text="")]
    for number, block in enumerate(drawn):
        if isinstance(block, Paragraph):
            if number:
                yield Text()
            yield _worded(block.text)
        else:
            yield from (_beside(Text(f"  {BULLET.strip()}"), [_worded(one)]) for one in block.items)


def _worded(words: str) -> Text:
    text = safe(words)
    for mark in _MARK.finditer(text.plain):
        text.stylize("cyan", *mark.span())
    return text


def _options(options: Sequence[str]) -> Iterator[RenderableType]:
    width = len(str(len(options)))
    for number, option in enumerate(options, start=1):
        line = Text(f"  {number:>{width}}  ", style="cyan")
        yield line.append_text(Text(one_line(option), style="default"))
    yield Text("Answer with a number or in your own words.", style="dim")


def _beside(head: Text, lines: Sequence[RenderableType]) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, width=len(head))
    grid.add_column(overflow="fold")
    grid.add_row(head, Group(*lines))
    return grid


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)


def _nearest(places: Sequence[SectionRef]) -> Iterator[RenderableType]:
    yield Text("Nearest sections", style="bold")
    for place in places:
        yield _indented(Text(one_line(section_title(place))))


def _remarks(answer: Answer) -> Iterator[Text]:
    if answer.assumptions:
        yield Text(f"Assumes: {', '.join(one_line(item) for item in answer.assumptions)}")
    for note in answer.notes:
        yield Text(f"Note: {one_line(note)}", style="dim")

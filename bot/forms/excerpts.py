"""The policy text around a quote: whole sentences, and none of them beside another quote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.domain.answer import ShownCitation
from core.language.sentences import ends_sentence, split_sentences

AROUND = 300
"""Characters of context before and after a quote."""
CUT_OFF = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The policy text around a quote."""

    before: str = ""
    """Text up to the quote; longer than `AROUND` if there is more of it."""
    after: str = ""
    """Text from the end of the quote; the same."""

    @property
    def shown_before(self) -> str:
        """The last sentences of `before`."""
        text = self.before
        if len(text) <= AROUND:
            return text
        kept = text[-AROUND:]
        begins = [unit.char_start for unit in split_sentences(kept)]
        if len(begins) > 1:
            return kept[begins[1] :]
        _, blank, rest = kept.partition(" ")
        return f"{CUT_OFF}{rest if blank else kept}"

    @property
    def shown_after(self) -> str:
        """The first sentences of `after`."""
        text = self.after
        if len(text) <= AROUND:
            return text
        kept = text[:AROUND]
        units = split_sentences(kept)
        if units and ends_sentence(kept[: units[-1].char_end]):
            return kept[: units[-1].char_end]
        if len(units) > 1:
            return kept[: units[-2].char_end]
        rest, blank, _ = kept.rpartition(" ")
        return f"{rest if blank else kept}{CUT_OFF}"


def apart(citations: Sequence[ShownCitation], around: Mapping[int, Around]) -> Mapping[int, Around]:
    """Return what stands around each quote without what is shown with another one.

    What lies between two quotes of one policy stands after the first of them alone.
    """
    made = {
        number: Around(before=one.shown_before, after=one.shown_after)
        for number, one in around.items()
    }
    placed = sorted(
        (one for one in citations if one.number in made),
        key=lambda one: (one.span.version_id, one.span.char_start, one.span.char_end),
    )
    for first, second in pairwise(placed):
        if first.span.version_id != second.span.version_id:
            continue
        gap = max(0, second.span.char_start - first.span.char_end)
        before, after = made[second.number].before, made[first.number].after
        if len(after) >= gap:
            after, before = after[:gap], ""
        else:
            before = before[-(gap - len(after)) :]
        made[first.number] = Around(before=made[first.number].before, after=after)
        made[second.number] = Around(before=before, after=made[second.number].after)
    return made

"""Turn a quotable unit into a claim that says no more than its text."""

from core.agent.extractive.passages import Unit
from core.domain.answer import Citation, Claim
from core.domain.table_rows import read_row


def claim_of(unit: Unit) -> Claim:
    """Return the unit as a claim; a list item or table row cites what introduces it too."""
    citation = Citation(key=unit.key, span=unit.span, quote=unit.text)
    if unit.lead_in is None:
        return Claim(text=_plain(unit.text), citations=(citation,))
    lead_in = unit.lead_in
    introduced = Citation(key=lead_in.key, span=lead_in.span, quote=lead_in.text)
    if unit.is_row:
        return Claim(text=read_row(lead_in.text, unit.text), citations=(introduced, citation))
    return Claim(text=_plain(unit.text), citations=(introduced, citation))


def _plain(text: str) -> str:
    return " ".join(text.split())

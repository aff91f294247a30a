"""An officer lets the askers of affected answers be told, from the card or from the console.

What is approved is what was shown: if more answers were found since, nothing is.
"""

from bot.actions.press import Outcome, Press, Redraw, Say
from bot.replies.notices import OFFICERS_ONLY, OTHER_UNIT
from core.domain.errors import OvertakenError
from core.domain.officers import Officers
from core.language.interface.texts import Text
from core.ports.corrections import AffectedEditions

NO_EDITION = Text(
    "Nothing of this edition affects past answers.",
    "Diese Ausgabe betrifft keine früheren Antworten.",
)
MORE_BY_NOW = Text(
    "More answers have been found since this card was posted, so none was approved. The newest"
    " card lists them all.",
    "Seit das gezeigt wurde, kamen weitere Antworten hinzu. Deshalb wurde keine freigegeben. Die"
    " neueste Karte enthält alle.",
)
DECIDED = Text(
    "There is nothing left to decide here. The message shows the current state.",
    "Hier ist nichts mehr zu entscheiden. Die Nachricht zeigt den jetzigen Stand.",
)
_DIGITS = 9


class AffectedActions:
    """What officers do about affected answers."""

    def __init__(self, editions: AffectedEditions, officers: Officers) -> None:
        self._editions = editions
        self._officers = officers

    async def approve(self, press: Press) -> Outcome:
        """Approve the answers of an edition, of which `press.choice` were shown.

        A repeated delivery of the press finds them approved by the same officer, and says nothing.
        """
        officer = None if press.is_outside else self._officers.find(press.listed)
        if officer is None:
            return Say(words=OFFICERS_ONLY)
        edition, seen = _number(press.target), _number(press.choice)
        if edition is None or seen is None:
            return Say(words=NO_EDITION)
        try:
            approved = await self._editions.approve(
                officer=officer.login, edition=edition, policy=None, seen=seen
            )
        except OvertakenError:
            now = await self._editions.find(edition)
            is_whole = now is not None and now.total == seen
            return Say(words=OTHER_UNIT if is_whole else MORE_BY_NOW)
        now = await self._editions.find(edition)
        if now is None:
            return Say(words=NO_EDITION)
        is_theirs = approved > 0 or officer.login in now.approved_by
        return Redraw(now=now) if is_theirs else Say(words=DECIDED)


def _number(written: str) -> int | None:
    is_number = written.isascii() and written.isdecimal() and len(written) <= _DIGITS
    return int(written) if is_number else None

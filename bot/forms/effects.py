"""What an officer's answer makes of the one that the asker got: it replaces or confirms it."""

from core.cases.rules import may_be_judged
from core.domain.case import Case, ReviewVerdict
from core.language.interface.texts import Text

REPLACES, CONFIRMS, ADDS = "replaces", "confirms", "adds"
"""Values of `bot.forms.forms.EFFECT`."""
CONFIRMING = (
    (CONFIRMS, Text("Confirm it", "Bestätigen")),
    (ADDS, Text("Confirm it and add my text", "Bestätigen und um meinen Text ergänzen")),
)
EFFECTS = (
    (REPLACES, Text("Replace it with my text", "Durch meinen Text ersetzen")),
    *CONFIRMING,
)


def effects_of(case: Case) -> tuple[tuple[str, Text], ...]:
    """Return what an officer's answer may make of the earlier one; empty: there is none.

    One that was found right is not replaced.
    """
    if not may_be_judged(case):
        return ()
    return CONFIRMING if case.verdict is ReviewVerdict.RIGHT else EFFECTS

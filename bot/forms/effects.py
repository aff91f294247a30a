"""What an officer's answer makes of the one that the asker got: it replaces or confirms it."""

from core.cases.rules import may_be_judged
from core.domain.case import NO_CLOCK, Case, ReviewVerdict
from core.language.interface.texts import Text

REPLACES, CONFIRMS, ADDS = "replaces", "confirms", "adds"
TELLS, FEEDBACK = "tells", "feedback"
"""Values of `bot.forms.forms.EFFECT`."""
CONFIRMING = (
    (CONFIRMS, Text("Confirm it", "Bestätigen")),
    (ADDS, Text("Confirm it and add my text", "Bestätigen und um meinen Text ergänzen")),
)
EFFECTS = (
    (REPLACES, Text("Replace it with my text", "Durch meinen Text ersetzen")),
    *CONFIRMING,
)

TO_WRITER = (
    (TELLS, Text("A question or message", "Eine Frage oder Nachricht")),
    (FEEDBACK, Text("Feedback: what is being done", "Rückmeldung: was unternommen wird")),
)
"""What an officer writes to the writer of a report. What is chosen at first meets no due date."""
NEEDS_TEXT = frozenset({REPLACES, ADDS, TELLS, FEEDBACK})


def effects_of(case: Case) -> tuple[tuple[str, Text], ...]:
    """Return what an officer's answer may make of the earlier one; empty: there is none.

    One that was found right is not replaced.
    """
    if case.clock != NO_CLOCK:
        return TO_WRITER
    if not may_be_judged(case):
        return ()
    return CONFIRMING if case.verdict is ReviewVerdict.RIGHT else EFFECTS

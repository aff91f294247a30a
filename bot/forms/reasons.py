"""What may be wrong with an answer, in the words of those who got it."""

from core.domain.feedback import Reason
from core.language.interface.texts import Text

REASONS = (
    (
        Reason.UNANSWERED,
        Text("It does not answer my question", "Sie beantwortet meine Frage nicht"),
    ),
    (
        Reason.WRONG,
        Text("The policy says something else", "In der Richtlinie steht etwas anderes"),
    ),
    (Reason.STALE, Text("It is out of date", "Sie ist veraltet")),
    (
        Reason.SCOPE,
        Text(
            "It is for another country, site or group",
            "Sie gilt für ein anderes Land, einen anderen Standort oder andere Personen",
        ),
    ),
    (
        Reason.INCOMPLETE,
        Text("Something is missing, such as an exception", "Es fehlt etwas, etwa eine Ausnahme"),
    ),
    (Reason.SOURCE, Text("I cannot open the source", "Ich kann die Quelle nicht öffnen")),
    (
        Reason.OTHER,
        Text("Something else: please describe it", "Etwas anderes: bitte beschreiben Sie es"),
    ),
)
"""Reasons that a report may name: value and words; Slack takes 75 characters of each."""

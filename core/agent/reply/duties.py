"""Duties that can't wait: shown even with a refusal.

Whoever asks "I lost my laptop, what now?" may have an hour to report it. Of 40 sentences taken at
random from those found in 163 real policies, 38 are such duties.
"""

import re
from collections.abc import Iterator, Sequence

from core.domain.answer import Claim
from core.domain.ontology import EntityType
from core.language.modality import Modality, modality
from core.language.quantities import quantities
from core.ontology.extract.comparisons import Measure
from core.ontology.extract.deadlines import unnumbered_deadline
from core.ontology.extract.measures import measure_of

DAYS_AT_MOST = 7.0
"""A case that opens by itself is due after as many days: what is due sooner can't wait for it."""
_DAYS = {"minute": 1 / 1_440, "hour": 1 / 24, "day": 1.0, "business day": 1.4, "week": 7.0}
_ORDERS = re.compile(
    r"\W*(?:report|notify|inform|call|contact|tell|alert|escalate|disconnect|submit|return|send"
    r"|file|stop|hand|register|record|declare|disclose)\b",
    re.IGNORECASE,
)
"""How an order begins that has no modal verb ("Report the loss within 1 hour")."""


def urgent_duties(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims that say what must be done within days or less, each text once."""
    return tuple({claim.text: claim for claim in claims if is_urgent_duty(claim.text)}.values())


def is_urgent_duty(text: str) -> bool:
    """Say whether a sentence of a policy is a duty with a deadline of days or less."""
    if modality(text) not in {Modality.MUST, Modality.SHOULD} and not _ORDERS.match(text):
        return False
    return any(map(_is_soon, _deadlines(text)))


def _deadlines(text: str) -> Iterator[Measure]:
    found = (measure_of(one, text, EntityType.DEADLINE) for one in quantities(text))
    yield from (one for one in (*found, unnumbered_deadline(text)) if one is not None)


def _is_soon(deadline: Measure) -> bool:
    if deadline.comparison != "within":
        return False
    if not deadline.unit:  # "immediately", "as soon as possible"
        return True
    days = _DAYS.get(deadline.unit)
    return days is not None and float(deadline.value) * days <= DAYS_AT_MOST

"""How a section of a policy is named on one line; pure, and light to import."""

from bot.replies.safe_text import line
from core.domain.ontology import SectionRef
from core.language.interface.texts import Text
from core.language.languages import Language

POLICY = Text("Policy", "Richtlinie")
TITLE = 200
"""Characters of a policy's or a section's title."""


def policy_title(place: SectionRef, language: Language) -> str:
    """Return title, version and country of a policy on one line."""
    country = f"({line(place.jurisdiction, limit=20)})" if place.jurisdiction else ""
    version = line(place.version_label or "", limit=60)
    title = line(place.policy_title, limit=TITLE) or POLICY.of(language)
    return " ".join(filter(None, (title, version, country)))


def section_title(place: SectionRef, language: Language = Language.ENGLISH) -> str:
    """Return policy, version, country and section on one line."""
    return ", ".join(filter(None, (policy_title(place, language), section_name(place))))


def section_name(place: SectionRef) -> str:
    """Return number and title of a section: "§4.2 Limits", "Annex A Forms"."""
    number = line(place.number or "", limit=40)
    sign = "§" if number[:1].isdigit() else ""
    parts = (f"{sign}{number}" if number else "", line(place.title, limit=TITLE))
    return " ".join(part for part in parts if part)

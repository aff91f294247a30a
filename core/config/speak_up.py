"""Settings of what is told to somebody who reports misconduct."""

from dataclasses import dataclass
from typing import Any

from core.config.setting import setting
from core.domain.errors import ConfigError
from core.domain.officers import SpeakUpContacts

LONGEST = 300


def _is_contact(variable: str, value: Any) -> None:
    if len(value) > LONGEST or "\n" in value:
        raise ConfigError(f"{variable}: expected one line of at most {LONGEST} characters")


@dataclass(frozen=True, kw_only=True)
class SpeakUpSettings:
    """Ways to report misconduct, shown in private beside what the policies say of it."""

    speak_up_line: str | None = setting(
        "CITEBOUND_SPEAK_UP_LINE",
        None,
        "Speak-up line to give, in private, to people who report misconduct: a number, an"
        " address, hours; unset: only what the policies say",
        check=_is_contact,
    )
    """In askers' words, in whatever language."""
    speak_up_person: str | None = setting(
        "CITEBOUND_SPEAK_UP_PERSON",
        None,
        "Ombudsperson to name there, with contact details",
        check=_is_contact,
    )
    """The same."""
    speak_up_anonymous: str | None = setting(
        "CITEBOUND_SPEAK_UP_ANONYMOUS",
        None,
        "How to report anonymously, shown there",
        check=_is_contact,
    )
    """The same."""

    @property
    def speak_up(self) -> SpeakUpContacts:
        """The contacts."""
        return SpeakUpContacts(
            line=self.speak_up_line, person=self.speak_up_person, anonymous=self.speak_up_anonymous
        )

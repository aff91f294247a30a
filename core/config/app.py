"""Settings of what people see first: questions to begin with, names and icons of the apps."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.config.setting import json_or_file, one_of, setting
from core.domain.errors import ConfigError
from core.language.interface.texts import SPOKEN
from core.language.languages import Language

MOST_STARTERS = 4
"""As many as Slack takes in `suggested_prompts`."""
LONGEST_ABOUT = 600
LONGEST_STARTER = 120
"""Characters; Teams' limit of a command's description is 128."""


def _is_short(variable: str, value: Any) -> None:
    if len(value) > LONGEST_ABOUT or not value.isprintable():
        raise ConfigError(f"{variable}: expected one line of at most {LONGEST_ABOUT} characters")


@dataclass(frozen=True, kw_only=True)
class AppSettings:
    """What the apps say of themselves."""

    starters: str | None = setting(
        "CITEBOUND_STARTERS",
        None,
        "Suggested questions, 4 at most: a JSON list, or a file that contains it; unset: chosen"
        " from the policies",
    )
    """See `read_starters`."""
    app_config: Path | None = setting(
        "CITEBOUND_APP_CONFIG",
        None,
        "File with names, descriptions, colour, icons, developer and languages of the apps, TOML",
    )
    """See `bot.manifests.identity`."""
    about_text: str | None = setting(
        "CITEBOUND_ABOUT_TEXT",
        None,
        "What is added where somebody asks what is stored of them, who reads it or who they are to"
        " us, such as how long texts are kept and whom to ask: one line of 600 characters at most",
        check=_is_short,
    )
    """In askers' words, in whatever language."""
    language: str = setting(
        "CITEBOUND_LANGUAGE",
        "en",
        "Interface language for people whose client reports no supported one, and for what"
        " officers read together: `en` or `de`",
        check=one_of(*SPOKEN),
    )
    """Everybody else reads the interface in the language of their client."""

    @property
    def own_language(self) -> Language:
        """The language of the deployment."""
        return Language(self.language)

    @property
    def named_starters(self) -> tuple[str, ...]:
        """The questions of the settings; empty: they are chosen.

        Raises:
            ConfigError: They can't be read; the message names variable and limit.
        """
        return () if self.starters is None else _read(self.starters)

    def check_starters(self) -> None:
        """Refuse questions that could not be offered.

        Raises:
            ConfigError: See `named_starters`.
        """
        _ = self.named_starters


def _read(given: str) -> tuple[str, ...]:
    variable = "CITEBOUND_STARTERS"
    listed = json_or_file(variable, given, list)
    if not all(isinstance(one, str) and one.strip() for one in listed):
        raise ConfigError(f"{variable}: expected a list of questions")
    questions = tuple(dict.fromkeys(" ".join(one.split()) for one in cast("list[str]", listed)))
    if len(questions) > MOST_STARTERS:
        raise ConfigError(
            f"{variable}: expected {MOST_STARTERS} questions at most, got {len(questions)}"
        )
    for number, one in enumerate(questions, start=1):
        if len(one) > LONGEST_STARTER:
            raise ConfigError(
                f"{variable}: question {number}: expected {LONGEST_STARTER} characters at most,"
                f" got {len(one)}"
            )
        if not one.isprintable():
            raise ConfigError(f"{variable}: question {number} contains invisible characters")
    return questions

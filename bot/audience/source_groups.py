"""Which audience groups are groups of Entra, for sources that name their readers by them.

`[entra_groups]` in `CITEBOUND_TEAMS_CONFIG` says which groups of Entra an audience group consists
of. One to which the file adds people of its own is left out: a source does not let these read.
"""

from collections.abc import Mapping

from bot.audience_config import AudienceConfig, read_audience_config
from core.config.settings import Settings


def entra_directory(settings: Settings) -> Mapping[str, frozenset[str]]:
    """Return audience groups, each with all its groups of Entra as sources name them.

    Raises:
        ConfigError: The file can't be read.
    """
    return directory_of(
        read_audience_config(settings.teams_config, variable="CITEBOUND_TEAMS_CONFIG")
    )


def directory_of(config: AudienceConfig) -> Mapping[str, frozenset[str]]:
    """See `entra_directory`."""
    return {
        name: frozenset(f"entra:{one}" for one in ids)
        for name, ids in config.directory.items()
        if ids and not config.groups.get(name)
    }

"""Slack's user groups: who is in them. A group that is switched off has no members."""

import asyncio
import logging
from collections.abc import Mapping
from time import monotonic

from bot.call_results import Rejected
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import Slack, body_of
from core.domain.errors import TransientError
from core.domain.json_value import Json

ABSENT = frozenset({"no_such_subteam", "subteam_not_found"})
"""There is no such group here, or no more."""
LISTED_S = 30.0
"""Groups that are read together share one list of them: Slack gives out some 20 a minute."""

logger = logging.getLogger(__name__)


class SlackUserGroups:
    """See `bot.audience.group_members.GroupSource`. Safe from many tasks."""

    def __init__(self, slack: Slack, identity: SlackIdentity) -> None:
        self._slack = slack
        self._identity = identity
        self._lists: dict[str, tuple[float, Mapping[str, Mapping[str, Json]]]] = {}
        self._listing = asyncio.Lock()
        self._told: set[str] = set()

    async def members(self, group: str, /) -> frozenset[str]:
        """See `GroupSource.members`. `T…/S…` is a group of one workspace of an organisation."""
        team, _, usergroup = group.rpartition("/")
        if self._identity.is_whole and not team:
            raise TransientError(f"an organisation has many workspaces: write it as T…/{usergroup}")
        if team and not self._identity.is_whole and team not in self._identity.teams:
            return frozenset()
        found = (await self._in_use(team)).get(usergroup)
        if found is None:
            self._tell(group)
            return frozenset()
        users = found.get("users")
        if isinstance(users, list) and str(found.get("user_count")) == str(len(users)):
            return _ids(users)
        asked = await self._slack.read(
            "usergroups.users.list", usergroup=usergroup, **self._of(team)
        )
        if isinstance(asked, Rejected) and asked.code in ABSENT:
            return frozenset()
        users = body_of(asked).get("users")
        if not isinstance(users, list):
            raise TransientError("Slack does not say who is in it")
        return _ids(users)

    def _of(self, team: str) -> Mapping[str, str]:
        return {"team_id": team} if self._identity.is_whole else {}

    async def _in_use(self, team: str) -> Mapping[str, Mapping[str, Json]]:
        """Return the groups of a workspace that are not switched off and of no other company."""
        async with self._listing:
            read_at, known = self._lists.get(team, (-LISTED_S, {}))
            if known and monotonic() - read_at <= LISTED_S:
                return known
            read_at = monotonic()
            given = body_of(
                await self._slack.read("usergroups.list", include_users="true", **self._of(team))
            ).get("usergroups")
            if not isinstance(given, list):
                raise TransientError("Slack does not list user groups")
            groups = [one for one in given if isinstance(one, Mapping)]
            known = {
                maybe(one, "id"): one
                for one in groups
                if not one.get("date_delete") and one.get("is_external") is not True
            }
            self._lists[team] = (read_at, known)
            return known

    def _tell(self, group: str) -> None:
        if group not in self._told:
            self._told.add(group)
            logger.warning("CITEBOUND_SLACK_CONFIG: there is no user group %s in use", group)


def _ids(users: list[Json]) -> frozenset[str]:
    return frozenset(one for one in users if isinstance(one, str))

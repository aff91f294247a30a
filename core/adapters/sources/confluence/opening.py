"""Open a space of Confluence, as the account whose API token the environment holds."""

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from core.adapters.sources.confluence.cloud import CloudSpace, rules_of
from core.adapters.sources.confluence.connector import ConfluenceConnector
from core.adapters.sources.credentials import FixedCredentials
from core.adapters.sources.http import ServiceHttp, open_session
from core.config.settings import Settings, source_credential, source_variable
from core.domain.errors import ConfigError
from core.sources.connector import Connector, PolicySource


@asynccontextmanager
async def opened(source: PolicySource, _: Settings) -> AsyncGenerator[Connector]:
    """Connect until the block ends.

    Raises:
        ConfigError: There is no API token.
    """
    where, variable = source.location, source_variable(source.name)
    given = source_credential(source.name) or ""
    account, colon, token = given.partition(":")
    if not (account and colon and token):
        raise ConfigError(
            f"{variable}: expected an account and its API token, as reader@example.com:TOKEN"
        )
    basic = base64.b64encode(given.encode()).decode()
    check = f"check {variable} (API tokens expire), and that the account may view the space"
    async with open_session() as session:
        http = ServiceHttp(
            session,
            base=where["url"],
            credentials=FixedCredentials(f"Basic {basic}"),
            rules=rules_of("Confluence", check=check),
        )
        everyone = frozenset(where.get("everyone", "").split(",")) - {""}
        space = CloudSpace(http, site=where["url"], key=where["space"])
        with_access = where.get("readers") != "audience"
        yield ConfluenceConnector(space, everyone=everyone, with_access=with_access)

"""Open a space of Confluence, as the account whose API token the environment holds.

A token without scopes is taken by the site itself. One with scopes is taken by Atlassian's gateway
alone, which knows the site by the id of its cloud; the site tells that to everybody.
"""

import base64
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout

from core.adapters.sources.confluence.cloud import CloudSpace, rules_of
from core.adapters.sources.confluence.connector import ConfluenceConnector
from core.adapters.sources.credentials import FixedCredentials
from core.adapters.sources.http import ServiceHttp, is_safe, open_session
from core.adapters.sources.json_values import object_of
from core.config.settings import Settings, source_credential, source_variable
from core.domain.errors import ConfigError, TransientError
from core.service_access.proxy import proxy_for
from core.sources.connector import Connector, PolicySource

_CLOUD = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
WITHIN_S = 30.0
LARGEST = 10_000
"""Bytes of what a site says of itself."""


@asynccontextmanager
async def opened(source: PolicySource, settings: Settings) -> AsyncGenerator[Connector]:
    """Connect until the block ends.

    Raises:
        ConfigError: There is no API token, or no such site of Confluence Cloud.
        TransientError: The site does not answer.
    """
    where, variable = source.location, source_variable(source.name)
    given = source_credential(source.name) or ""
    account, colon, token = given.partition(":")
    if not (account and colon and token):
        raise ConfigError(
            f"{variable}: expected an account and its API token, as reader@example.com:TOKEN"
        )
    basic = base64.b64encode(given.encode()).decode()
    is_scoped = where.get("api_token") == "scoped"
    kind = "has the scopes of docs/sources.md" if is_scoped else "has no scopes"
    check = (
        f"check {variable} (API tokens expire), that it {kind}, and that the account may view the"
        " space"
    )
    async with open_session() as session:
        api = where["url"]
        if is_scoped:
            cloud = await _cloud_of(session, where["url"])
            api = f"{_gateway(settings)}/ex/confluence/{cloud}/wiki"
        http = ServiceHttp(
            session,
            base=api,
            credentials=FixedCredentials(f"Basic {basic}"),
            rules=rules_of("Confluence", check=check),
        )
        everyone = frozenset(where.get("everyone", "").split(",")) - {""}
        space = CloudSpace(http, site=where["url"], api=api, key=where["space"])
        with_access = where.get("readers") != "audience"
        yield ConfluenceConnector(space, everyone=everyone, with_access=with_access)


def _gateway(settings: Settings) -> str:
    gateway = settings.atlassian_url.rstrip("/")
    if not is_safe(gateway):
        raise ConfigError("CITEBOUND_ATLASSIAN_URL: expected an address that begins with https://")
    return gateway


async def _cloud_of(session: ClientSession, site: str) -> str:
    """Return the id of a site's cloud; no credentials are sent."""
    parts = urlsplit(site)
    address = f"{parts.scheme}://{parts.netloc}/_edge/tenant_info"
    try:
        async with session.get(
            address,
            allow_redirects=False,
            timeout=ClientTimeout(total=WITHIN_S),
            proxy=proxy_for(address),
        ) as response:
            status, body = response.status, await response.content.read(LARGEST)
    except (ClientError, OSError, TimeoutError) as error:
        raise TransientError(f"{parts.netloc} can't be reached ({type(error).__name__})") from error
    if status >= 500:  # noqa: PLR2004  # it fails at the moment
        raise TransientError(f"{parts.netloc} does not say which cloud it is ({status})")
    try:
        found = object_of(json.loads(body)).get("cloudId")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, str) or not _CLOUD.fullmatch(found):
        raise ConfigError(f"{parts.netloc} is no site of Confluence Cloud: check the address")
    return found

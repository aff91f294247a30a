"""Open a folder of Google Drive, as the service account whose key the environment holds."""

import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from core.adapters.sources.credentials import TokenCredentials
from core.adapters.sources.drive.connector import DriveConnector
from core.adapters.sources.drive.files import DriveFiles, rules_of
from core.adapters.sources.http import ServiceHttp, is_safe, open_session
from core.config.settings import Settings, source_credential, source_variable
from core.domain.errors import ConfigError
from core.service_access.tokens import FetchedToken, TokenRequest
from core.sources.connector import Connector, PolicySource

SCOPE = "https://www.googleapis.com/auth/drive.readonly"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
LASTS_S = 3600
"""How long a signed request for a token is good, which is the most that Google takes."""


@asynccontextmanager
async def opened(source: PolicySource, settings: Settings) -> AsyncGenerator[Connector]:
    """Connect until the block ends.

    Raises:
        ConfigError: There is no key of a service account.
    """
    variable = source_variable(source.name)
    request = signed_request(source_credential(source.name) or "", variable=variable)
    check = f"check {variable}, and that the folder is shared with the service account"
    where = source.location
    if not is_safe(settings.drive_url):
        raise ConfigError("CITEBOUND_DRIVE_URL: expected an address that begins with https://")
    async with open_session() as session:
        token = FetchedToken(session, request, now=time.time)
        http = ServiceHttp(
            session,
            base=f"{settings.drive_url.rstrip('/')}/drive/v3",
            credentials=TokenCredentials(token=token, check=f"check {variable}"),
            rules=rules_of("Google Drive", check=check),
        )
        yield DriveConnector(
            DriveFiles(http),
            folder=where["folder"],
            everyone=frozenset(where.get("everyone", "").split(",")) - {""},
            links_count=where.get("shared_links") == "everyone",
            with_access=where.get("readers") != "audience",
        )


def signed_request(
    key: str, *, variable: str, now: Callable[[], float] = time.time
) -> Callable[[], TokenRequest]:
    """Return how a service account asks for a token (RFC 7523), signed each time anew.

    Args:
        key: its key file, as Google gives it.
        variable: which holds that, for messages.
        now: in seconds since 1970.

    Raises:
        ConfigError: It is no such file.
    """
    try:
        told = cast("dict[str, Any]", json.loads(key))
        private = load_pem_private_key(told["private_key"].encode(), password=None)
        account, url = str(told["client_email"]), str(told["token_uri"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _no_key(variable) from error
    if not isinstance(private, RSAPrivateKey) or not is_safe(url):
        raise _no_key(variable)

    def request() -> TokenRequest:
        issued = int(now())
        claims = {
            "iss": account,
            "scope": SCOPE,
            "aud": url,
            "iat": issued,
            "exp": issued + LASTS_S,
        }
        signed = jwt.encode(
            claims, private, algorithm="RS256", headers={"kid": str(told.get("private_key_id"))}
        )
        form = {"grant_type": _GRANT, "assertion": signed}
        return TokenRequest(method="POST", url=url, form=form, is_proxied=True)

    return request


def _no_key(variable: str) -> ConfigError:
    return ConfigError(
        f"{variable}: expected the key of a service account, the JSON file that Google gives; name"
        f" the file in {variable}_FILE"
    )

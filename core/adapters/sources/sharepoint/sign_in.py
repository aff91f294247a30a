"""As whom Microsoft Graph is called: a registration of Entra, by secret, certificate or identity.

The secret, or the certificate with its private key (PEM), stands in the variable of the source.
Where the source takes the bot's own registration, the bot's secret or managed identity is taken.
"""

import base64
import secrets
import time
from collections.abc import Callable

import jwt
from aiohttp import ClientSession
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificate

from core.config.settings import Settings, source_credential, source_variable
from core.domain.errors import ConfigError
from core.service_access.tokens import (
    FetchedToken,
    TokenRequest,
    client_credentials,
    managed_identity,
)
from core.sources.connector import PolicySource

ASSERTED_S = 600
"""How long a signed request for a token is good."""


def graph_token(source: PolicySource, settings: Settings, session: ClientSession) -> FetchedToken:
    """Return where the token for Microsoft Graph comes from.

    Raises:
        ConfigError: There is no secret, or it would go to none of Microsoft's hosts.
    """
    if settings.environment == "production":
        settings.require_graph()
        if settings.teams_login_url:
            raise ConfigError("CITEBOUND_TEAMS_LOGIN_URL gets the secret: unset it in production")
    return FetchedToken(session, _request(source, settings, settings.graph), now=time.time)


def _request(source: PolicySource, settings: Settings, graph: str) -> Callable[[], TokenRequest]:
    app, tenant = source.location["app"], source.location["tenant"]
    is_bot = app == (settings.app_id or "").lower()
    secret = source_credential(source.name) or (settings.app_password if is_bot else None)
    if secret is None and is_bot and settings.app_type == "UserAssignedMSI":
        identity = managed_identity(
            graph,
            client=app,
            endpoint=settings.identity_endpoint,
            header=settings.identity_header,
        )
        return lambda: identity
    if secret is None:
        raise ConfigError(
            f"there is no client secret of the registration {app}: set"
            f" {source_variable(source.name)}, or a file by {source_variable(source.name)}_FILE"
        )
    login = settings.teams_login_url or settings.cloud.login
    url, scope = f"{login.rstrip('/')}/{tenant}/oauth2/v2.0/token", f"{graph}/.default"
    if "-----BEGIN" in secret:
        return _certified(
            secret, url=url, client=app, scope=scope, variable=source_variable(source.name)
        )
    request = client_credentials(url, client=app, secret=secret, scope=scope, is_proxied=True)
    return lambda: request


def _certified(
    pem: str, *, url: str, client: str, scope: str, variable: str
) -> Callable[[], TokenRequest]:
    """Return how a registration asks for a token by its certificate, signed each time anew.

    The assertion is that of RFC 7523, with the thumbprint by which Entra finds the certificate.

    Raises:
        ConfigError: It is no certificate with its private key.
    """
    try:
        private = load_pem_private_key(pem.encode(), password=None)
        certificate = load_pem_x509_certificate(pem.encode())
    except (ValueError, TypeError) as error:
        raise _no_certificate(variable) from error
    is_pair = certificate.public_key() == private.public_key()
    if not isinstance(private, RSAPrivateKey) or not is_pair:
        raise _no_certificate(variable)
    thumbprint = base64.urlsafe_b64encode(certificate.fingerprint(SHA256())).decode().rstrip("=")

    def request() -> TokenRequest:
        now = int(time.time())
        claims = {
            "aud": url,
            "iss": client,
            "sub": client,
            "jti": secrets.token_hex(16),
            "nbf": now,
            "exp": now + ASSERTED_S,
        }
        headers = {"x5t#S256": thumbprint}
        form = {
            "grant_type": "client_credentials",
            "client_id": client,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": jwt.encode(claims, private, algorithm="PS256", headers=headers),
            "scope": scope,
        }
        return TokenRequest(method="POST", url=url, form=form, is_proxied=True)

    return request


def _no_certificate(variable: str) -> ConfigError:
    return ConfigError(
        f"{variable}: expected a client secret, or a certificate and its RSA private key without a"
        f" password, both in one PEM file; name the file in {variable}_FILE"
    )

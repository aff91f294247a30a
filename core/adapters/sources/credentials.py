"""As whom a document service is called: by what stays, or by a token that is renewed."""

from dataclasses import dataclass, field
from typing import Protocol

from core.domain.errors import CredentialError, TransientError
from core.service_access.tokens import FetchedToken, TokenError


class ServiceCredentials(Protocol):
    """As whom a service is called."""

    async def header(self) -> str:
        """Return the value of `Authorization`.

        Raises:
            ConfigError: There is none as it is set up.
            TransientError: There is none at the moment.
        """
        ...

    def forget(self, header: str, /) -> bool:
        """Take note that the service refused this; True: another one may be had."""
        ...


@dataclass(frozen=True, slots=True)
class FixedCredentials:
    """See `ServiceCredentials`: a name with a password or token that stays."""

    value: str = field(repr=False)
    """Of `Authorization`."""

    async def header(self) -> str:
        """See `ServiceCredentials.header`."""
        return self.value

    def forget(self, header: str, /) -> bool:
        """See `ServiceCredentials.forget`."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCredentials:
    """See `ServiceCredentials`: a token that is fetched and renewed."""

    token: FetchedToken = field(repr=False)
    """Where it comes from."""
    check: str
    """What to check if none is given, such as "check CITEBOUND_SOURCE_HR_TOKEN"."""

    async def header(self) -> str:
        """See `ServiceCredentials.header`."""
        try:
            return f"Bearer {await self.token.current()}"
        except TokenError as error:
            if error.is_refusal:
                refused = f"no access token is given ({error}): {self.check}"
                raise CredentialError(refused, cause=str(error)) from None
            raise TransientError(f"no access token is given at the moment ({error})") from None

    def forget(self, header: str, /) -> bool:
        """See `ServiceCredentials.forget`."""
        self.token.forget(header.removeprefix("Bearer "))
        return True

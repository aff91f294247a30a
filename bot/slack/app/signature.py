"""Whether Slack sent a request: HMAC over the raw bytes, before anything parses them.

Slack's scheme v0 (docs.slack.dev, "Verifying requests from Slack"): HMAC-SHA256 of
`v0:{timestamp}:{body}`, compared in constant time; a timestamp more than five minutes away is a
replay. Every doubt is a no. Bolt's own check parses first, and answers 500 to a timestamp `abc`.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence

LONGEST_AGE_S = 300
TIMESTAMP, SIGNATURE = "X-Slack-Request-Timestamp", "X-Slack-Signature"
_LONGEST_TIMESTAMP = 12
_HEX = 64


class SignatureCheck:
    """Knows the signing secrets: the current one and, during a rotation, the previous one."""

    def __init__(self, secrets: Sequence[str]) -> None:
        """Take at least one secret.

        Raises:
            ValueError: There is none, or an empty one: everybody could sign with it.
        """
        if not secrets or not all(secrets):
            raise ValueError("expected a signing secret that is not empty")
        self._secrets = tuple(secret.encode() for secret in secrets)

    def __call__(self, headers: Mapping[str, str], body: bytes, *, now: float) -> bool:
        """Say whether one of the secrets signed these bytes within the last five minutes.

        Args:
            headers: of the request; their names in any case.
            body: as it came.
            now: seconds since 1970.
        """
        folded = {key.lower(): value for key, value in headers.items()}
        timestamp, signature = folded.get(TIMESTAMP.lower()), folded.get(SIGNATURE.lower())
        if timestamp is None or signature is None or not _is_instant(timestamp):
            return False
        if abs(now - int(timestamp)) > LONGEST_AGE_S:
            return False
        version, _, given = signature.partition("=")
        if version != "v0" or len(given) != _HEX or not given.isascii():
            return False
        signed = b"v0:" + timestamp.encode() + b":" + body
        # All secrets are tried, so that the time taken says nothing about which one fits.
        fits = [hmac.compare_digest(_mark(secret, signed), given) for secret in self._secrets]
        return any(fits)


def _is_instant(timestamp: str) -> bool:
    return timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= _LONGEST_TIMESTAMP


def _mark(secret: bytes, signed: bytes) -> str:
    return hmac.new(secret, signed, hashlib.sha256).hexdigest()

"""A timestamp authority of the test's own: `openssl ts` behind HTTP, its certificates made here."""

import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

CONFIGURATION = """
[tsa]
default_tsa = one
[one]
serial = {folder}/serial
signer_cert = {folder}/signer.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
[signer]
extendedKeyUsage = critical, timeStamping
"""


@dataclass
class Authority:
    """Answers in memory, and over HTTP where it is `served`."""

    folder: Path
    status: int = 200
    answers: list[bytes] = field(default_factory=list[bytes])
    """Given instead of its own, in order."""
    queries: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir()
        (self.folder / "tsa.conf").write_text(CONFIGURATION.format(folder=self.folder))
        (self.folder / "serial").write_text("01\n")
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                      "-nodes", "-keyout", "root.key", "-out", "root.pem", "-days", "30",
                      "-subj", "/CN=Test Root")  # fmt: skip
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                      "-keyout", "signer.key", "-out", "signer.csr",
                      "-subj", "/CN=Test TSA")  # fmt: skip
        self._openssl("x509", "-req", "-in", "signer.csr", "-CA", "root.pem", "-CAkey", "root.key",
                      "-days", "30", "-out", "signer.pem", "-extfile", "tsa.conf",
                      "-extensions", "signer")  # fmt: skip

    @property
    def roots(self) -> Path:
        return self.folder / "root.pem"

    def answer(self, query: bytes) -> bytes:
        """Return the reply to a query."""
        (self.folder / "query.tsq").write_bytes(query)
        self._openssl("ts", "-reply", "-queryfile", "query.tsq", "-config", "tsa.conf", "-out",
                      "reply.tsr")  # fmt: skip
        return (self.folder / "reply.tsr").read_bytes()

    @asynccontextmanager
    async def served(self) -> AsyncGenerator[str]:
        """Answer on a port of the loopback, and yield the address."""

        async def reply(request: web.Request) -> web.Response:
            self.queries += 1
            body = await request.read()
            answer = self.answers.pop(0) if self.answers else self.answer(body)
            return web.Response(
                status=self.status, body=answer, content_type="application/timestamp-reply"
            )

        application = web.Application()
        application.router.add_post("/tsr", reply)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            port = runner.addresses[0][1]
            yield f"http://127.0.0.1:{port}/tsr"
        finally:
            await runner.cleanup()

    def _openssl(self, *words: str) -> None:
        subprocess.run(  # noqa: S603  # our own words
            ["openssl", *words],  # noqa: S607
            cwd=self.folder, check=True, capture_output=True,
        )  # fmt: skip

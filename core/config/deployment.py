"""Settings of a deployment: its database, addresses, officers and records."""

from dataclasses import dataclass
from pathlib import Path

from core.config.anchors import check_anchors
from core.config.setting import (
    are_hosts,
    is_address,
    is_name,
    is_public_key,
    is_token_key,
    one_of,
    setting,
    within,
)
from core.config.time_zones import read_time_zones
from core.domain.errors import ConfigError
from core.failpoints import NAMES
from core.time_zones import TimeZones


@dataclass(frozen=True, kw_only=True)
class DeploymentSettings:
    """Where the product runs, and for whom."""

    environment: str = setting(
        "CITEBOUND_ENVIRONMENT",
        "development",
        "`development` or `production`, which is stricter",
        check=one_of("development", "production"),
    )
    """`production` refuses what only tests may do."""
    time_zone: str = setting(
        "CITEBOUND_TIME_ZONE",
        "UTC",
        "Where a day begins: the deployment's time zone (`Europe/Berlin`), then those of channels"
        " with another jurisdiction (`Europe/Berlin,NZ=Pacific/Auckland`)",
        check=read_time_zones,
    )
    """By it a version is in force, a review due and a case overdue."""
    migrate: str = setting(
        "CITEBOUND_MIGRATE",
        "auto",
        "`always`: each process migrates the schema at startup; `never`: only `citebound"
        " migrate` does; `auto`: `never` in production, else `always`",
        check=one_of("auto", "always", "never"),
    )
    """See `migrates`."""
    home: Path = setting(
        "CITEBOUND_HOME", Path("~/.citebound"), "Where the embedded database lives"
    )
    """A directory; `~` is expanded."""
    database_url: str | None = setting(
        "DATABASE_URL",
        None,
        "A Postgres 15+ with pgvector 0.8+; unset: the embedded one",
        is_secret=True,
    )
    """May hold a password: never printed whole."""
    migration_url: str | None = setting(
        "CITEBOUND_MIGRATION_URL",
        None,
        "The same database for the login that `citebound migrate` uses, a member of"
        " `citebound_owner`; unset: `DATABASE_URL`",
        is_secret=True,
    )
    """No other process needs it in production."""
    record_url: str | None = setting(
        "CITEBOUND_RECORD_URL",
        None,
        "The same database for the login with which commands read the record, a member of"
        " `citebound_console`; unset: `DATABASE_URL`",
        is_secret=True,
    )
    """`audit replay` and `audit affected` need it beside the application's login."""
    host: str = setting("CITEBOUND_HOST", "127.0.0.1", "Address on which `serve` listens")
    """`0.0.0.0`: every one."""
    port: int = setting(
        "CITEBOUND_PORT",
        8080,
        "Port on which `serve` listens; 0: any free one",
        check=within(0, 65_535),
    )
    """HTTP; whatever stands before it does TLS."""
    operations_host: str = setting(
        "CITEBOUND_OPERATIONS_HOST",
        "127.0.0.1",
        "Address on which `serve` answers `/livez`, `/readyz` and `/metrics`",
    )
    """Not one that the outside reaches: whoever reaches it is told."""
    operations_port: int = setting(
        "CITEBOUND_OPERATIONS_PORT",
        8081,
        "Port for that; 0: any free one, each process on one machine needs its own",
        check=within(0, 65_535),
    )
    traces: str = setting(
        "CITEBOUND_TRACES",
        "off",
        "`on`: an OpenTelemetry trace of each question, sent to `OTEL_EXPORTER_OTLP_ENDPOINT`;"
        " `with_text`: includes question and answer",
        check=one_of("off", "on", "with_text"),
    )
    """All else is set by the variables of OpenTelemetry."""
    sensitivity_classes: str | None = setting(
        "CITEBOUND_SENSITIVITY",
        None,
        "Sensitivity levels from lowest to highest, comma-separated; unset: `Public, Internal,"
        " Confidential, Strictly confidential`",
    )
    """An answer has the class of its most sensitive source; one not named here is above all."""
    unit: str = setting("CITEBOUND_UNIT", "default", "Organisational unit written into each record")
    """Officers see the records of their units."""
    ledger_name: str = setting(
        "CITEBOUND_LEDGER_NAME",
        "citebound",
        "Names this deployment in the signed checkpoints of its record; never changes",
        check=is_name,
    )
    """See `core.audit.checkpoint`."""
    ledger_key: Path | None = setting(
        "CITEBOUND_LEDGER_KEY",
        None,
        "File of the private key that `citebound audit seal` signs checkpoints with (Ed25519, PEM);"
        " unset: one of its own in `CITEBOUND_HOME`, which production refuses",
    )
    """On the host of the sealing process alone."""
    ledger_anchors: str | None = setting(
        "CITEBOUND_LEDGER_ANCHORS",
        None,
        "Places outside the database in which checkpoints are kept, parted by commas: folders,"
        " `s3://bucket/prefix`, `tsa:https://...` (RFC 3161), `channel` (the officers'); production"
        " needs two that a verification can read: folders or buckets",
        check=check_anchors,
    )
    """On other hosts or accounts: see `core.config.anchors`."""
    ledger_public_keys: Path | None = setting(
        "CITEBOUND_LEDGER_PUBLIC_KEYS",
        None,
        "File of the public keys that a verification trusts, one a line as in an anchor's"
        " `keys.txt`; unset: those beside the anchors, which prove nothing in production",
    )
    """Kept where whoever writes to the anchors can't change it."""
    ledger_tsa_roots: Path | None = setting(
        "CITEBOUND_LEDGER_TSA_ROOTS",
        None,
        "File of root certificates (PEM) trusted for timestamp authorities",
    )
    """The authority's root; it says on its site where to get it."""
    pseudonym_key: str | None = setting(
        "CITEBOUND_PSEUDONYM_KEY",
        None,
        "Key with which people's pseudonyms are found again: 32 bytes in base64, the same in all"
        " processes, never changed; unset: one in the database, so that anyone with a copy can"
        " match pseudonyms to people",
        is_secret=True,
        check=is_token_key,
    )
    """See `core.adapters.postgres.engine.pseudonyms`."""
    identity_key: str | None = setting(
        "CITEBOUND_IDENTITY_KEY",
        None,
        "Public key to which identities behind pseudonyms are sealed, as `citebound audit"
        " identity-key FILE` prints it; unset: nobody can be unmasked later",
        check=is_public_key,
    )
    """The private half stays with officers."""
    officers: str | None = setting(
        "CITEBOUND_OFFICERS", None, "Who answers cases: JSON or a file; unset: nobody"
    )
    """See `adapters.officers`."""
    case_channel: str | None = setting(
        "CITEBOUND_CASE_CHANNEL",
        None,
        "Officers' private channel (`slack/T1/C7`); unset: directly to those on call",
    )
    """See `adapters.officers`."""
    calendar: str | None = setting(
        "CITEBOUND_CALENDAR",
        None,
        "Officers' working hours, which determine when cases are due: JSON or a file; unset:"
        " every day, all day",
    )
    """See `adapters.calendar`."""
    link_hosts: str | None = setting(
        "CITEBOUND_LINK_HOSTS",
        None,
        "Hosts that links in replies may point to, comma-separated, such as those of your"
        " policies; unset: none, and addresses are shown as plain text",
        check=are_hosts,
    )
    """Names in lower case, without scheme, port or path."""
    drive_url: str = setting(
        "CITEBOUND_DRIVE_URL",
        "https://www.googleapis.com",
        "Google Drive: where sources in it are read",
        check=is_address,
    )
    """Without a path."""
    atlassian_url: str = setting(
        "CITEBOUND_ATLASSIAN_URL",
        "https://api.atlassian.com",
        "Atlassian's gateway: where spaces are read with an API token that has scopes",
        check=is_address,
    )
    """Without a path."""
    failpoint: str | None = setting(
        "CITEBOUND_FAILPOINT",
        None,
        "Kills the process at a step (`F1` to `F9`, `F12`, `F13`), to test recovery",
        check=one_of(*NAMES),
    )
    """See `core.failpoints`; refused in production."""

    @property
    def zones(self) -> TimeZones:
        """`time_zone`, read."""
        return read_time_zones("CITEBOUND_TIME_ZONE", self.time_zone)

    @property
    def migrates(self) -> bool:
        """Whether a process may migrate the schema at its start."""
        by_itself = self.migrate == "auto" and self.environment != "production"
        return by_itself or self.migrate == "always"

    def check_migration_url(self) -> None:
        """Refuse to migrate one database and use another.

        Raises:
            ConfigError: There is a login that migrates a server, and none that uses it.
        """
        if self.migration_url is not None and self.database_url is None:
            raise ConfigError("CITEBOUND_MIGRATION_URL needs DATABASE_URL, for the same database")

    def check_failpoint(self) -> None:
        """Refuse to kill a process of people.

        Raises:
            ConfigError: A failpoint is set in production.
        """
        if self.failpoint is not None and self.environment == "production":
            raise ConfigError("CITEBOUND_FAILPOINT kills the process: unset it in production")

"""What decides beside the record: who is an officer, who is a member of a role, what is set.

Officers are held to the records that made them. Roles and settings belong to the server: a login is
a member of one role of ours, and for roles and database nothing is set but limits, logs and plans.
"""

import re
from collections import defaultdict
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.roles import DatabaseRole
from core.audit.verification import ProblemClass, ProblemLog

_OFFICERS = text("SELECT login, units, audiences FROM ONLY audit.officer WHERE revoked_at IS NULL")
_GRANTED = text(
    "SELECT doc->>'officer' AS officer, doc->'units' AS units, doc->'audiences' AS audiences"
    " FROM ONLY audit.record WHERE tag IN ('officer:granted', 'officer:revoked') ORDER BY id"
)
_EXCHANGED = text(
    "SELECT subject FROM ONLY audit.record JOIN audit.identity_digests() AS kept"
    " ON kept.pseudonym = subject WHERE tag = 'identity:kept'"
    " AND (kept.period, kept.digest) IS DISTINCT FROM (doc->>'period', doc->>'identity')"
)
_MIGRATORS = text(
    "SELECT rolname FROM pg_roles JOIN pg_database ON datdba = pg_roles.oid"
    " WHERE datname = current_database()"
    " UNION SELECT actor FROM ONLY audit.record WHERE tag = 'schema:migrated'"
)
MEMBERS = text(
    "SELECT role.rolname AS role, member.rolname AS member"
    " FROM pg_auth_members AS m JOIN pg_roles AS role ON role.oid = m.roleid"
    " JOIN pg_roles AS member ON member.oid = m.member"
    " WHERE coalesce(to_jsonb(m)->>'set_option', 'true') = 'true'"
    " OR coalesce(to_jsonb(m)->>'inherit_option', 'true') = 'true'"
)
"""Who made a role is its member since Postgres 16, without its rights."""
_SETTINGS = text(
    "SELECT coalesce(rolname, '') AS role, unnest(setconfig) AS setting"
    " FROM pg_db_role_setting LEFT JOIN pg_roles ON pg_roles.oid = setrole"
    " WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))"
    " UNION ALL SELECT '', format('%s=%s', name, setting) FROM pg_settings"
    " WHERE name = 'session_replication_role' AND setting <> 'origin'"
)
HARMLESS = re.compile(
    r"(\w*_timeout|\w*work_mem|temp_file_limit|log_\w+|\w*_page_cost|effective_\w+|jit\w*|enable_\w+"
    r"|max_parallel\w*|application_name|default_transaction_read_only|plan_cache_mode"
    r"|client_min_messages|tcp_\w+|(hnsw|ivfflat|pgaudit)\.\w+)=.*|search_path=audit",
    re.IGNORECASE | re.DOTALL,
)
"""What may be set for a role or a database: it changes how long something takes, not what is read
or written. The last is that of officers with a login."""
_WITHIN = {(DatabaseRole.OFFICER, DatabaseRole.CONSOLE)}
"""Role and member, of our own."""


async def compare_officers(connection: AsyncConnection, log: ProblemLog) -> None:
    """Hold officers to the records of what they were granted."""
    recorded: dict[str, Any] = {}
    for row in await connection.execute(_GRANTED):
        recorded[row.officer] = None if row.units is None else (row.units, row.audiences)
    stored = {
        row.login: ([*row.units], [*row.audiences]) for row in await connection.execute(_OFFICERS)
    }
    for login in sorted(recorded.keys() | stored.keys()):
        if stored.get(login) != recorded.get(login):
            log.add(
                ProblemClass.OFFICER_ALTERED,
                f"the officer {login} has other rights than their record says: grant or revoke them"
                " anew once it is known who changed that",
            )


async def compare_identities(connection: AsyncConnection, log: ProblemLog) -> None:
    """Hold whom pseudonyms stand for to the records of when they were made."""
    for pseudonym in (await connection.execute(_EXCHANGED)).scalars():
        log.add(
            ProblemClass.OFFICER_ALTERED,
            f"whom {pseudonym} stands for is not what was recorded: unmask nobody by it",
        )


async def compare_server(connection: AsyncConnection, log: ProblemLog) -> None:
    """Hold members of our roles, and what is set for them, to what a deployment needs."""
    migrators = set((await connection.execute(_MIGRATORS)).scalars())
    held: defaultdict[str, set[str]] = defaultdict(set)
    for row in await connection.execute(MEMBERS):
        held[row.member].add(row.role)
    ours = {role.value for role in DatabaseRole}
    logins = migrators | {member for member, roles in held.items() if roles & ours}
    for member, roles in sorted(held.items()):
        excess = _excess(member, roles & (ours | logins), ours=ours)
        if excess and member not in migrators:
            log.add(
                ProblemClass.RIGHTS_ALTERED,
                f"{member} is a member of {' and '.join(sorted(excess))}: REVOKE what it does not"
                " need, and let who migrates own the database",
            )
    for row in await connection.execute(_SETTINGS):
        is_ours = row.role in {"", *ours, *logins}
        if is_ours and not HARMLESS.fullmatch(row.setting):
            log.add(
                ProblemClass.RIGHTS_ALTERED,
                f"{row.setting.partition('=')[0]} is set for {row.role or 'every role'}:"
                " ALTER ROLE or ALTER DATABASE ... RESET takes it back",
            )


def _excess(member: str, roles: set[str], *, ours: set[str]) -> set[str]:
    """Return the roles that a member should not have; none if all is as it should be."""
    if member in ours:
        return {role for role in roles if (role, member) not in _WITHIN}
    is_one = len(roles) <= 1 and roles <= ours and DatabaseRole.OWNER not in roles
    return set() if is_one else roles

"""`PostgresCorpusChanges`: what editions changed, recorded, and told to owners and officers."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.cases.case_posts import tell_officers
from core.adapters.postgres.corpus.corpus_report import PostgresCorpusReport
from core.adapters.postgres.corpus.policy_facts import read_sections, section_changes
from core.adapters.postgres.corpus.publication_events import corpus_event
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.ontology.rules_reader import read_rules
from core.domain.audit import Tag
from core.domain.delivery import Notice
from core.domain.json_value import Json
from core.domain.officers import Officers, Route
from core.domain.ontology import SectionRef
from core.domain.policy import NEVER
from core.domain.question import Scope
from core.ingest.changes import (
    NO_SECTIONS,
    Became,
    ChangedPolicy,
    CorpusChanges,
    change_counts,
    change_lines,
    detail,
)
from core.ontology.graphs.conflicts import Conflict, find_conflicts_of, measure_words
from core.ontology.graphs.graph import build_graph

COMPARED = 200
"""Policies whose sections and facts are compared; of more, the first by key."""
RECORDED = 500
"""Policies that one record names."""
TOLD = 8
"""Policies that one notice names."""
MOST_SECTIONS = 5_000
"""Sections of a corpus in which contradictions are sought: `corpus validate` has no such limit."""
MOST_PAIRS = 200_000
"""Pairs of rules that are compared for it: some seconds, beside which questions are answered."""

_DETAILS: Mapping[str, str] = {
    "title": "title",
    "label": "version",
    "owner": "owner",
    "verified_by": "verified by",
    "sensitivity": "class",
    "review_by": "review by",
    "effective_until": "ends",
    "jurisdiction": "holds in",
    "audience": "for",
    "tags": "tags",
    "url": "read at",
}
"""What is known of a policy beside its text, and how a summary calls it."""


def _described(version: str) -> str:
    fields = ", ".join(f"'{name}', {version}.{name}" for name in _DETAILS)
    # As people write an end: the day before the first one without it.
    until = f"{version}.effective_until"
    return f"jsonb_build_object({fields.replace(until, f'{until} - 1')})"


_CHANGED = text(f"""
WITH live AS MATERIALIZED (
  SELECT v.* FROM citebound.versions_in_force(NULL, :today) l
    JOIN citebound.policy_versions v ON v.id = l.version_id),
given AS (
  SELECT v.*, first_value(number) OVER (PARTITION BY policy_id ORDER BY number) AS first,
         row_number() OVER (PARTITION BY policy_id ORDER BY number DESC) AS place
    FROM citebound.policy_versions v WHERE id = ANY(CAST(:versions AS bigint[])))
SELECT g.id, p.key, g.title, g.owner, b.id AS before_id, b.sha256 = g.sha256 AS is_same_text,
       b.facts_hash IS DISTINCT FROM g.facts_hash AS is_reread,
       EXISTS (SELECT FROM citebound.withdrawals w
                WHERE w.policy_id = g.policy_id AND w.edition > b.edition_from
                  AND w.edition < g.edition_from) AS is_restored,
       'everyone' = ANY (citebound.audience_now(g.audience, g.policy_id)) AS is_public,
       CASE WHEN b.id IS NOT NULL THEN {_described("b")} END AS was, {_described("g")} AS now,
       CASE WHEN g.effective_from > :today THEN g.effective_from END AS begins,
       coalesce(l.label, CAST(l.number AS text)) AS holds, l.effective_from AS holds_since
  FROM given g JOIN citebound.policies p ON p.id = g.policy_id
  LEFT JOIN live l ON l.policy_id = g.policy_id AND l.number < g.number
   AND l.effective_from > coalesce(g.effective_from, '-infinity')
  LEFT JOIN LATERAL (SELECT * FROM citebound.policy_versions b
                      WHERE b.policy_id = g.policy_id AND b.number < g.first
                      ORDER BY b.number DESC LIMIT 1) b ON true
 WHERE g.place = 1 ORDER BY p.key""")  # noqa: S608  # constants
_RULES = text("""
WITH stated AS (
  SELECT pr.version_id = :new AS is_new, e.id, e.type, e.attributes, min(pr.char_start) AS place
    FROM citebound.provenance pr JOIN citebound.entities e ON e.id = pr.entity_id
   WHERE pr.version_id IN (:new, :old)
     AND e.type IN ('Obligation', 'Prohibition', 'Permission', 'Exception', 'Definition',
                    'Threshold', 'Deadline')
   GROUP BY 1, 2, 3, 4)
SELECT is_new, CASE WHEN type IN ('Threshold', 'Deadline') THEN attributes END AS measure
  FROM stated s
 WHERE NOT EXISTS (SELECT FROM stated o WHERE o.id = s.id AND o.is_new <> s.is_new)
 ORDER BY place, id""")
"""Rules, figures and definitions that one of two versions states and the other does not.

Roles, sections and how all of these are joined are not among them: whoever reads a summary counts
rules.
"""
_WITHDRAWN = text("""
SELECT v.id, p.key, v.title, v.owner,
       'everyone' = ANY (citebound.audience_now(v.audience, v.policy_id)) AS is_public
  FROM citebound.policies p
  JOIN LATERAL (SELECT * FROM citebound.policy_versions v WHERE v.policy_id = p.id
                 ORDER BY number DESC LIMIT 1) v ON true
 WHERE p.key = ANY(:keys) ORDER BY p.key""")
_SINCE = text("SELECT id FROM citebound.policy_versions WHERE edition_from > :edition")
_WITHDRAWN_SINCE = text("""
SELECT DISTINCT p.key FROM citebound.withdrawals w JOIN citebound.policies p ON p.id = w.policy_id
 WHERE w.edition > :edition AND NOT EXISTS (
   SELECT FROM citebound.policy_versions v
    WHERE v.policy_id = w.policy_id AND v.edition_from > w.edition)""")
_EDITION_ON = text(
    "SELECT coalesce(max(number), 0) FROM citebound.editions WHERE published_at < :begin"
)
_EDITION_BEFORE = text("""
SELECT least((SELECT min(edition_from) FROM citebound.policy_versions
               WHERE id = ANY(CAST(:versions AS bigint[]))),
             (SELECT min(edition) FROM (
                SELECT max(w.edition) AS edition FROM citebound.withdrawals w
                  JOIN citebound.policies p ON p.id = w.policy_id
                 WHERE p.key = ANY(:keys) GROUP BY p.key) withdrawn)) - 1""")
_IS_SMALL = text(
    f"SELECT count(*) <= {MOST_SECTIONS} FROM (SELECT FROM citebound.sections s"  # noqa: S608  # constants
    " JOIN citebound.policy_versions v ON v.id = s.version_id WHERE v.edition_until IS NULL"
    f" LIMIT {MOST_SECTIONS + 1}) few"
)
_STOOD = text("SELECT strpos(text, :quote) > 0 FROM citebound.policy_versions WHERE id = :version")


@dataclass(frozen=True, slots=True)
class _Compared:
    """Policies as they changed, and what is needed to look for contradictions."""

    policies: list[ChangedPolicy]
    before: Mapping[int, int | None]
    """Newest version -> the one before the change."""


class PostgresCorpusChanges:
    """Compares versions; records what changed, and tells of it. Owns no transaction of others."""

    def __init__(
        self, engine: AsyncEngine, *, ledger: Ledger, operator: str, officers: Officers
    ) -> None:
        self._engine = engine
        self._ledger = ledger
        self._operator = operator
        self._officers = officers
        self._report = PostgresCorpusReport(engine)

    @raises_transient
    async def since(self, edition: int | date, /) -> CorpusChanges:
        """Return what changed after an edition, or from a day on."""
        async with self._engine.connect() as connection:
            if isinstance(edition, date):
                begin = datetime.combine(edition, time(), tzinfo=self._ledger.clock.zones.home)
                edition = await connection.scalar(_EDITION_ON, {"begin": begin}) or 0
            versions = list(await connection.scalars(_SINCE, {"edition": edition}))
            withdrawn = list(await connection.scalars(_WITHDRAWN_SINCE, {"edition": edition}))
        return replace(await self.between(versions, withdrawn), before=edition)

    @raises_transient
    async def between(self, versions: Sequence[int], withdrawn: Sequence[str]) -> CorpusChanges:
        """Return what these new versions and withdrawals changed."""
        if not versions and not withdrawn:
            return CorpusChanges()
        given = {"versions": list(versions), "keys": list(withdrawn)}
        async with self._engine.connect() as connection:
            before = await connection.scalar(_EDITION_BEFORE, given) or 0
            compared = await self._compare(connection, given)
            is_small = await connection.scalar(_IS_SMALL)
        found = await self._with_conflicts(compared) if is_small and compared.before else None
        return CorpusChanges(
            policies=tuple(compared.policies if found is None else found),
            before=before,
            are_conflicts_sought=found is not None or not compared.before,
        )

    async def _compare(
        self, connection: AsyncConnection, given: Mapping[str, Sequence[object]]
    ) -> _Compared:
        gone = (await connection.execute(_WITHDRAWN, {"keys": given["keys"]})).all()
        keys = {"versions": given["versions"], "today": self._ledger.clock.today()}
        changed = (await connection.execute(_CHANGED, keys)).all()
        pairs = {one.id: one.before_id for one in changed[:COMPARED]}
        revised = {id_ for pair in pairs.items() if pair[1] is not None for id_ in pair}
        sections = await read_sections(connection, [*{*pairs, *revised}], compared=revised)
        found = {one.key: _changed(one, "withdrawn") for one in gone}
        for place, one in enumerate(changed):
            if one.key in found:
                continue
            change = _change(one)
            if place >= COMPARED:
                found[one.key] = replace(change, is_counted=False)
                continue
            both = {"new": one.id, "old": one.before_id or 0}
            rules = (await connection.execute(_RULES, both)).all()
            opened = [rule.measure for rule in rules if rule.is_new]
            closed = [rule.measure for rule in rules if not rule.is_new]
            differences = section_changes(
                sections.get(one.id, ()), sections.get(one.before_id or 0, ())
            )
            label = one.now["label"]
            if one.was and one.was["label"] == label and label and differences != NO_SECTIONS:
                still = f"version: still {label}, with other words"
                change = replace(change, details=(*change.details, still))
            found[one.key] = replace(
                change,
                sections=differences,
                opened=len(opened),
                closed=len(closed),
                new_figures=tuple(measure_words(one) for one in opened if one),
                old_figures=tuple(measure_words(one) for one in closed if one),
            )
        before = {one.id: one.before_id for one in changed}
        return _Compared([found[key] for key in sorted(found)], before)

    async def _with_conflicts(self, compared: _Compared) -> list[ChangedPolicy] | None:
        """Add the contradictions that were not there before; None: there is too much to compare."""
        groups = frozenset({"everyone"}) | await self._report.groups()
        scope = Scope(as_of=self._ledger.clock.today(), groups=groups)
        rules = await read_rules(self._engine, scope)
        found = await asyncio.to_thread(
            lambda: find_conflicts_of(
                build_graph(rules.snapshot),
                compared.before.keys(),
                giving_way=rules.giving_way,
                most_pairs=MOST_PAIRS,
            )
        )
        if found is None:
            return None
        lines: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for conflict in found:
            sides = (conflict.first, conflict.second)
            changed = [one for one in sides if one.span.version_id in compared.before]
            if changed and not await self._stood(conflict, compared):
                where = " against ".join(_where(one.place) for one in sides)
                for one in changed:  # each has an owner who is to know
                    lines[one.place.policy_key][f"{where}: {conflict.reason}"] = None
        return [replace(one, conflicts=tuple(lines[one.key])) for one in compared.policies]

    async def _stood(self, conflict: Conflict, compared: _Compared) -> bool:
        """Say whether both rules were there before, word for word."""
        async with self._engine.connect() as connection:
            for quote in (conflict.first, conflict.second):
                version = quote.span.version_id
                if version not in compared.before:
                    continue
                given = {"quote": quote.text, "version": compared.before[version] or 0}
                if not await connection.scalar(_STOOD, given):
                    return False
        return True

    async def settle(
        self,
        connection: AsyncConnection,
        changes: CorpusChanges,
        *,
        by: str,
        subject: str,
        cause: str,
        more: Sequence[str] = (),
        operator: str | None = None,
    ) -> None:
        """Record what changed, and tell owners who are officers, and the officers of all else.

        Args:
            connection: in whose transaction.
            changes: what.
            by: what changed it, in a few words.
            subject: the same as the record names it.
            cause: names this occasion: nobody is told twice of one.
            more: lines for the officers besides.
            operator: who changed it, for the record; None: who runs this.
        """
        if changes.policies:
            says: dict[str, Json] = {
                "by": by,
                "after_edition": changes.before,
                "policies": [change_counts(one) for one in changes.policies[:RECORDED]],
                "unlisted": max(0, len(changes.policies) - RECORDED),
            }
            actor = operator or self._operator
            event = corpus_event(Tag.CORPUS_CHANGED, subject, says, operator=actor)
            await self._ledger.event(connection, event, content={})
        of_owners: defaultdict[str, list[ChangedPolicy]] = defaultdict(list)
        rest: list[ChangedPolicy] = []
        for one in changes.of_interest.policies:
            owner = self._officers.named(one.owner or "")
            (rest if owner is None else of_owners[owner.login]).append(one)
        for login, theirs in of_owners.items():
            route = self._officers.route_to(login)
            mine = replace(changes, policies=tuple(theirs))
            lines = change_lines(mine, most=TOLD, names_all=True, names_conflicts=False)
            await self._tell(connection, by, lines, cause=f"{cause}:{login}", routes=[route])
        remaining = replace(changes, policies=tuple(rest))
        lines = change_lines(remaining, most=TOLD, names_all=False, names_conflicts=False)
        if lines or more:
            routes = self._officers.routes(is_sensitive=False)
            await self._tell(connection, by, [*lines, *more], cause=cause, routes=routes)

    async def _tell(
        self,
        connection: AsyncConnection,
        by: str,
        lines: Sequence[str],
        *,
        cause: str,
        routes: Sequence[Route | None],
    ) -> None:
        await tell_officers(
            connection,
            Notice.POLICIES_CHANGED,
            subject="\n".join([by, *lines]),
            cause=f"changes:{cause}",
            officers=self._officers,
            ids=self._ledger.ids,
            routes=[one for one in routes if one is not None],
        )


def _changed(row: Row[Any], became: Became, *, details: tuple[str, ...] = ()) -> ChangedPolicy:
    return ChangedPolicy(
        key=row.key,
        title=row.title,
        owner=row.owner,
        became=became,
        is_public=row.is_public,
        details=details,
    )


def _change(row: Row[Any]) -> ChangedPolicy:
    became: Became = "added"
    if row.before_id is not None:
        same_text: Became = "reread" if row.is_reread else "described"
        became = same_text if row.is_same_text else "revised"
        became = "restored" if row.is_restored else became
    return _changed(row, became, details=tuple(_details(row)))


def _details(row: Row[Any]) -> Iterator[str]:
    if row.begins is not None:
        yield "not in force" if row.begins == NEVER else f"in force from: {row.begins}"
    if row.holds is not None:
        yield f"not in force: version {row.holds} of {row.holds_since} still answers"
    for name, called in _DETAILS.items():
        if row.was is not None and row.was[name] != row.now[name]:
            yield detail(called, _said(row.was[name]), _said(row.now[name]))


def _said(value: Json) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _where(place: SectionRef) -> str:
    return f"{place.policy_title} ({place.policy_key}) {place.number or place.title}".strip()

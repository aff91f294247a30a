"""Two units, two policies of which one is restricted, and officers of all kinds."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.engine.roles import DatabaseRole
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.answer import Answer, Outcome, ShownCitation, ShownClaim
from core.domain.case_actions import CaseActionKind
from core.domain.officers import Account, Officer
from core.domain.ontology import SectionRef
from core.ingest.prepare import Overrides
from core.language.spans import Span, VersionId
from core.ports.precedents import ClauseName, Proposal
from tests.casework import Office, done_case, fresh, office, reply
from tests.databases import as_role
from tests.life import PLATFORM_TABLES
from tests.officer_console import ORIGIN, Console, served
from tests.ports import free_port

UNITS = {"berlin": 1, "munich": 2}
"""With the section of each policy that is about it."""
POLICIES = {"treasury": "finance", "gifts": "everyone"}
"""With who may read them."""
TEXT = """# {policy} policy

## 1 Berlin

1.1 Staff of Berlin must not pay more than EUR {amount}71 for {policy} without two signatures.

## 2 Munich

2.1 Staff of Munich must not pay more than EUR {amount}72 for {policy} without two signatures.
"""
AMOUNTS = {"treasury": 3, "gifts": 5}
KINDS = {
    "whole": ("{*}", "{*}"),
    "berlin": ("{berlin}", "{finance}"),
    "plain": ("{berlin}", "{}"),
    "munich": ("{munich}", "{finance}"),
    "broad": ("{*}", "{hr}"),
}
"""Logins of officers, with their units and audiences."""
OFFICERS = tuple(
    Officer(
        login=login,
        name=login.title(),
        accounts=(Account(platform="fake", tenant="T1", person=f"U-{login}"),),
        is_on_call=login == "whole",
    )
    for login in KINDS
)
BY_LOGIN = {officer.login: officer for officer in OFFICERS}


def markers(unit: str, policy: str, *, of: tuple[str, ...]) -> set[str]:
    """Return the words by which parts of an answer are known on any page."""
    section, amount = UNITS[unit], AMOUNTS[policy]
    words = {
        "question": f"{unit} question of {policy}",
        "claim": f"{unit} claim of {policy}",
        "told": f"{unit} officer on {policy}",
        "quote": f"EUR {amount}7{section}",
        "after": f"EUR {amount}8{section}",
    }
    return {words[part] for part in of}


_PLATFORM = (
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO citebound_app;"
    "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO citebound_app"
)
WORDS = ("claim", "told", "quote", "after")
"""Parts of an answer that say what a policy says."""
ALL = {
    word
    for unit in UNITS
    for policy in POLICIES
    for word in markers(unit, policy, of=("question", *WORDS))
} - {f"{unit} officer on gifts" for unit in UNITS}
"""All of which somebody reads something: cases about gifts are still open."""


def withheld(login: str, *, is_whole: bool = False) -> set[str]:
    """Return what an officer must not read anywhere: other units, and words of other audiences.

    `is_whole`: on a page that leaves out what rests on another audience, with its question.
    """
    units, audiences = KINDS[login]
    found: set[str] = set()
    for unit in UNITS:
        for policy, audience in POLICIES.items():
            if units not in {"{*}", f"{{{unit}}}"}:
                found |= markers(unit, policy, of=("question", *WORDS))
            elif audience != "everyone" and audiences not in {"{*}", f"{{{audience}}}"}:
                found |= markers(unit, policy, of=("question", *WORDS) if is_whole else WORDS)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A console with what two units have asked."""

    console: Console
    offices: dict[str, Office]
    cases: dict[tuple[str, str], str]
    """By unit and policy."""
    edition: int
    """That changed both policies."""


async def cited(engine: AsyncEngine, unit: str, policy: str) -> Answer:
    """Return an answer that quotes the section of a unit in a policy."""
    async with engine.connect() as connection:
        query = (
            "SELECT v.id, strpos(v.text, 'Staff of ' || :name) - 1 AS start, v.text, v.label"
            " FROM citebound.policy_versions v JOIN citebound.policies p ON p.id = v.policy_id"
            " WHERE p.key = :policy"
        )
        row = (
            await connection.execute(text(query), {"policy": policy, "name": unit.title()})
        ).one()
    end = row.text.index("signatures.", row.start) + len("signatures.")
    citation = ShownCitation(
        number=1,
        key="e1",
        span=Span(version_id=VersionId(row.id), char_start=row.start, char_end=end),
        quote=row.text[row.start : end],
        place=SectionRef(
            policy_key=policy,
            policy_title=f"{policy} policy",
            version_label=row.label,
            jurisdiction=None,
            eid="s",
            number=f"{UNITS[unit]}.1",
            title="",
            page=None,
        ),
        effective_from=None,
    )
    claim = ShownClaim(text=f"{unit} claim of {policy}", numbers=(1,))
    answer = reply(Outcome.ANSWERED)
    return replace(answer, text=f"{claim.text} [1]", claims=(claim,), citations=(citation,))


@asynccontextmanager
async def world(
    database_url: str, engine: AsyncEngine, embedder: LocalEmbedder, folder: Path
) -> AsyncGenerator[World]:
    """Lend it: each unit has asked of each policy, and an officer answered."""
    port = free_port()
    listed = [
        {"login": one.login, "name": one.name, "accounts": [f"fake/T1/U-{one.login}"]}
        for one in OFFICERS
    ]
    settings = Settings(
        database_url=as_role(database_url, DatabaseRole.APP),
        unit="berlin",
        officers=json.dumps(listed),
        console_url=f"{ORIGIN}:{port}",
        record_url=as_role(database_url, DatabaseRole.CONSOLE),
        ledger_key=folder / "ledger-key.pem",
    )
    async with engine.begin() as connection:
        for statement in PLATFORM_TABLES:
            await connection.execute(text(statement))
        await connection.execute(text(_PLATFORM))
        for login, (units, audiences) in KINDS.items():
            await connection.execute(
                text(
                    "INSERT INTO audit.officer VALUES (:l, CAST(:u AS text[]), CAST(:a AS text[]))"
                ),
                {"l": login, "u": units, "a": audiences},
            )
    async with bootstrap(settings, embedder=embedder) as service:

        async def publish(digit: str) -> None:
            for policy, audience in POLICIES.items():
                written = TEXT.format(policy=policy, amount=AMOUNTS[policy])
                await service.ingestor.ingest(
                    written.replace("7", digit).encode(),
                    source_name=f"{policy}.md",
                    given=Overrides(key=policy, audience=frozenset({audience})),
                    with_chunks=True,
                )

        await publish("7")
        app = service.case_store._engine  # pyright: ignore[reportPrivateUsage]  # as the product logs in
        offices = {unit: office(app, officers=OFFICERS, unit=unit) for unit in UNITS}
        cases: dict[tuple[str, str], str] = {}
        for unit, desk in offices.items():
            for policy in POLICIES:
                question = f"{unit} question of {policy}"
                answer = await cited(engine, unit, policy)
                answer_id = await desk.answered(question, thread=question, answer=answer)
                case = await desk.opened(answer_id)
                cases[unit, policy] = case
                # Once more: what an officer has answered is affected by no change.
                await desk.answered(question, thread=f"{question}, again", answer=answer)
                if policy == "treasury":
                    await _reviewed_and_answered(desk, case, unit, policy)
                    await service.precedent_desk.propose(_proposal(len(cases), unit, policy))
        await publish("8")
        await service.affected.compare(on_day=service.clock.now().date())
        async with served(service, port) as console:
            yield World(console=console, offices=offices, cases=cases, edition=4)


async def _reviewed_and_answered(desk: Office, case: str, unit: str, policy: str) -> None:
    """Let the officer who reads all judge what the asker got, and answer."""
    whole = BY_LOGIN["whole"].accounts[0]
    await desk.desk.judge(CaseActionKind.MARK_PARTLY, case, whole, key=fresh())
    told = f"{unit} officer on {policy}"
    done = await desk.desk.answer(case, whole, key=fresh(), text=told)
    assert done_case(done) == case


def _proposal(number: int, unit: str, policy: str) -> Proposal:
    return Proposal(
        case_number=number,
        by=BY_LOGIN["whole"],
        clauses=(ClauseName(policy=policy, section=f"{UNITS[unit]}.1"),),
        question=f"{unit} question of {policy}",
        groups=frozenset({POLICIES[policy]}),
        jurisdictions=frozenset(),
    )

"""The console in a browser: an officer signs in and looks around, at a desk and on a phone.

Each page is held to the rules of axe (those that it calls serious or critical), fits its window,
and makes the browser refuse nothing.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.officers.requests import ErasureScope, PostgresRequests
from core.adapters.postgres.officers.session import OfficerSession
from core.adapters.postgres.record.sequencer import PostgresSequencer
from core.adapters.system import SystemClock, UuidSource
from core.audit.checkpoint import LedgerKey
from core.domain.case_actions import CaseDone
from core.ingest.prepare import Overrides
from core.ports.precedents import ClauseName, Proposal
from tests.casework import ADA, GRACE, OFFICERS, Office, office
from tests.databases import as_role
from tests.integration.officer.conftest import NEXT, ask
from tests.integration.officer.test_questions import drafted, mended
from tests.integration.record.sealing import all_sealable
from tests.life import PLATFORM_TABLES
from tests.officer_console import Console
from tests.servers.browser import Page, browser, need_browser
from tests.servers.npm import need_package

AXE = ("axe-core", "4.11.0")
DESK, PHONE = 1280, 390
LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenversicherungsgesellschaft" * 4
HOSTILE = f"<script>document.title='x'</script> {LONG} \u202eevil\u202c \u0007 " + "a" * 3_000
RTL = "هل يمكنني قبول هدية من مورد بقيمة 50 يورو؟ 🎁"
FACTS = (
    "({title: document.title, text: document.body.innerText.length,"
    " wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,"
    " refused: window.refused || []})"
)

pytestmark = pytest.mark.slow


@pytest.fixture
async def looks(console: Console, engine: AsyncEngine, database_url: str) -> dict[str, str]:
    """Fill the record with what is hard to show, and return the pages by name."""
    async with engine.begin() as connection:
        for statement in PLATFORM_TABLES:
            await connection.execute(text(statement))
    answered = await ask(console.service)
    hostile = await ask(console.service, HOSTILE)
    await ask(console.service, RTL)
    case = await office(engine).opened(note=HOSTILE[:1_500])
    await console.service.ingestor.ingest(
        NEXT.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
    )
    key = LedgerKey.generate("citebound")
    await all_sealable(engine)
    await PostgresSequencer(engine, key=key, deployment="citebound").seal()
    await console.service.affected.compare(on_day=console.service.clock.now().date())
    desk = office(engine)
    await desk.desk.close(await desk.opened(await desk.answered(thread="2")), ADA, key="closed")
    precedent = await proposed(console, desk)
    record = answered.receipt.record_id
    drafts = await drafted(console.service)
    await mended(console.service, drafts[0], question=f"{RTL} {HOSTILE} {LONG}"[:300])
    by_grace = engine_for(as_role(database_url, DatabaseRole.CONSOLE))
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    asking = PostgresRequests(OfficerSession(by_grace, ledger=ledger, officer="grace"))
    await asking.ask_to_unmask(record, reason=HOSTILE[:500], basis=RTL)
    await asking.ask_to_erase(ErasureScope(asker=LONG), basis="ticket 4711")
    await by_grace.dispose()
    return {
        "overview": "/officer",
        "records": "/officer/records",
        "nothing found": "/officer/records?words=nowhere&since=never",
        "record": f"/officer/records/{record}",
        "hostile record": f"/officer/records/{hostile.receipt.record_id}",
        "proof": f"/officer/records/{record}/proof",
        "cases": "/officer/cases",
        "case": f"/officer/cases/{case}",
        "propose": f"/officer/cases/{precedent.case_id}/precedent",
        "precedents": "/officer/precedents",
        "precedent": f"/officer/precedents/{precedent.number}",
        "questions": "/officer/questions",
        "no dropped question": "/officer/questions?state=dropped",
        "hostile question": f"/officer/questions/{drafts[0].number}",
        "question": f"/officer/questions/{drafts[1].number}",
        "calibration": "/officer/calibration",
        "consistency": "/officer/consistency",
        "policies": "/officer/policies",
        "policy": "/officer/policies/gifts",
        "changes": "/officer/policies/gifts/changes",
        "text": "/officer/policies/gifts/versions/1",
        "affected": "/officer/affected",
        "affected edition": "/officer/affected/2",
        "closed cases": "/officer/closed-cases",
        "no closed case": "/officer/closed-cases?words=nowhere&since=never",
        "access log": "/officer/access",
        "requests": "/officer/requests",
        "unmask": f"/officer/records/{record}/unmask",
        "missing": "/officer/nothing",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A precedent that waits for another officer."""

    case_id: str
    number: int


async def proposed(console: Console, desk: Office) -> Proposed:
    """Answer a case with what is hard to show, and propose that."""
    case = await desk.opened(await desk.answered(thread="3"))
    done = await desk.desk.answer(case, GRACE, key="answered", text=HOSTILE[:2_900])
    assert isinstance(done, CaseDone)
    found = await console.service.precedent_desk.propose(
        Proposal(
            case_number=done.case.number,
            by=OFFICERS[1],
            clauses=(ClauseName(policy="gifts", section="2.1"),),
            question=f"May I {LONG[:250]} gifts?",
            wordings=(RTL,),
        )
    )
    return Proposed(case_id=case, number=found.number)


async def opened(page: Page, url: str) -> None:
    """Open a page, and wait until it is there."""
    await page.open(url)
    await page.until(f"location.href.startsWith({json.dumps(url)})")
    await page.until("document.readyState === 'complete'")


async def broken(page: Page, script: str) -> list[str]:
    """Return the rules of axe that a page breaks badly, with the elements."""
    await page.evaluate(script)
    await page.evaluate("window.told = null; axe.run().then((found) => { window.told = found })")
    await page.until("window.told !== null")
    return await page.evaluate(
        "window.told.violations.filter((one) => ['serious', 'critical'].includes(one.impact))"
        ".map((one) => one.id + ': ' + one.nodes.map((node) => node.target).join(', '))"
    )


async def test_an_officer_looks_around(console: Console, looks: dict[str, str]) -> None:
    """Signed in by the button behind a link; light and dark, wide and narrow."""
    program = need_browser()
    script = (need_package(*AXE, absent="axe absent") / "axe.min.js").read_text()
    link = await console.link()
    problems: list[str] = []
    async with browser(program, width=DESK) as page:
        await opened(page, f"{console.base}{link}")
        problems += [f"offer: {one}" for one in await broken(page, script)]
        await page.evaluate("document.querySelector('main form button').click()")
        await page.until("location.pathname === '/officer'")
        for scheme, widths in (("light", (DESK, PHONE)), ("dark", (PHONE, DESK))):
            await page.show_as(scheme=scheme)
            for name, path in looks.items():
                await page.resize(widths[0], 900)
                await opened(page, f"{console.base}{path}")
                shown = f"{name}, {scheme}, {widths[0]}"
                problems += [f"{shown}: {one}" for one in await broken(page, script)]
                for width in widths:
                    where = f"{name}, {scheme}, {width}"
                    await page.resize(width, 900)
                    facts = await page.evaluate(FACTS)
                    assert facts["text"] > 50, where
                    assert facts["title"] != "x", where
                    if facts["wide"] > 0:
                        problems.append(f"{where}: {facts['wide']} px too wide")
        await page.show_as(media="print")
        await opened(page, f"{console.base}{looks['record']}")
        assert await page.evaluate("getComputedStyle(document.querySelector('.bar')).display") == (
            "none"
        )
    assert problems == []


def test_the_style_sheet_refers_to_nothing_elsewhere() -> None:
    """Nor does it hide what has the focus."""
    folder = Path(__file__).parents[3] / "bot" / "officer" / "static"
    style = (folder / "console.css").read_text()
    assert "http" not in style
    assert "url(" not in style
    assert "@import" not in style
    assert ":focus-visible { outline: 2px" in style

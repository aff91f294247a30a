"""What is changed beside the record (policies, officers, rights, the server's settings) is found.

Each row is one way of tampering by a superuser, with anchors and keys untouched.
"""
# ruff: noqa: S608  # constants

from dataclasses import dataclass

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.commands.ledger import CODES
from core.adapters.postgres.corpus.corpus_report import PostgresCorpusReport
from core.adapters.postgres.engine.identity_key import IdentityKey
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.pseudonyms import Pseudonyms
from core.adapters.postgres.engine.schema import migrate
from core.adapters.postgres.officers.grants import PostgresGrants
from core.adapters.system import SystemClock, UuidSource
from core.audit.verification import ProblemClass, Verification
from core.bootstrap import Service
from core.domain.answer import Outcome, RefusalKind
from core.domain.officers import Account
from tests.integration.record.conftest import Ask, Change
from tests.integration.record.sealing import SealedLedger

EUR_99 = "replace({0}, 'EUR 50', 'EUR 99')"
TEXT = f"UPDATE citebound.policy_versions SET text = {EUR_99.format('text')}"
CHUNKS = f"UPDATE citebound.chunks SET text = {EUR_99.format('text')}"
FORGED = """
INSERT INTO audit.record (canonical, leaf_hash)
SELECT made, sha256('\\x00'::bytea || made) FROM (
  SELECT convert_to(replace(replace(convert_from(canonical, 'UTF8'),
           doc->'versions'->0->>'text_sha256',
           (SELECT encode(sha256(convert_to(text, 'UTF8')), 'hex') FROM citebound.policy_versions)),
         id::text, gen_random_uuid()::text), 'UTF8') AS made
    FROM audit.record WHERE tag = 'corpus:published') AS forged
"""
"""A second record of the publication, of the text as it was changed."""
NONSENSE = """
INSERT INTO audit.record (canonical, leaf_hash)
SELECT made, sha256('\\x00'::bytea || made) FROM (
  SELECT convert_to((jsonb_set(doc, '{versions}', CAST(:versions AS jsonb))
                     || jsonb_build_object('id', gen_random_uuid()))::text, 'UTF8') AS made
    FROM audit.record WHERE tag = 'corpus:published' ORDER BY id LIMIT 1) AS forged
"""
LIMIT = "What value may gifts have that employees accept per giver and year?"
"""Answered by the limit of the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampering:
    """One way of tampering."""

    statements: tuple[str, ...]
    """By a superuser."""
    kind: ProblemClass
    """What it is found as."""
    code: int = 1
    """What `citebound audit verify` exits with."""


def way(kind: ProblemClass, *statements: str) -> Tampering:
    return Tampering(statements=statements, kind=kind)


TEXTS = {
    "text and chunks": way(ProblemClass.TEXT_ALTERED, TEXT, CHUNKS),
    "text": way(ProblemClass.TEXT_ALTERED, TEXT),
    "chunks": way(ProblemClass.TEXT_ALTERED, CHUNKS),
    "text with its hashes": way(
        ProblemClass.TEXT_ALTERED,
        TEXT,
        CHUNKS,
        "UPDATE citebound.chunks SET content_hash = sha256(convert_to(text, 'UTF8'))",
        "UPDATE citebound.policy_versions SET original = convert_to(text, 'UTF8'),"
        " sha256 = sha256(convert_to(text, 'UTF8'))",
    ),
    "span of a chunk": way(
        ProblemClass.TEXT_ALTERED, "UPDATE citebound.chunks SET char_start = char_start + 3"
    ),
    "number of a section": way(
        ProblemClass.TEXT_ALTERED, "UPDATE citebound.sections SET number = '9' WHERE number = '2'"
    ),
    "span of a fact": way(
        ProblemClass.TEXT_ALTERED, "UPDATE citebound.provenance SET char_end = char_end + 1"
    ),
    "file": way(
        ProblemClass.TEXT_ALTERED, "UPDATE citebound.policy_versions SET original = '\\x00'"
    ),
    "day of effect": way(
        ProblemClass.TEXT_ALTERED,
        "UPDATE citebound.policy_versions SET effective_from = '2099-01-01'",
    ),
    "audience": way(
        ProblemClass.TEXT_ALTERED, "UPDATE citebound.policy_versions SET audience = '{board}'"
    ),
    "edition": way(
        ProblemClass.TEXT_ALTERED,
        "INSERT INTO citebound.editions (number, note) VALUES (9, 'x')",
        "UPDATE citebound.policy_versions SET edition_from = 9",
    ),
    "a version of their own": way(
        ProblemClass.TEXT_ALTERED,
        "INSERT INTO citebound.policy_versions (policy_id, number, edition_from, title, audience,"
        " tags, source_name, media_type, sha256, original, text, page_starts, notes)"
        " SELECT policy_id, 2, edition_from, title, audience, tags, source_name, media_type,"
        f" sha256, original, {EUR_99.format('text')}, page_starts, notes"
        " FROM citebound.policy_versions",
    ),
    "a version removed": way(ProblemClass.TEXT_ALTERED, "DELETE FROM citebound.policy_versions"),
}


HIJACKED = (
    "CREATE SCHEMA trap",
    "CREATE FUNCTION trap.sha256(bytea) RETURNS bytea LANGUAGE sql RETURN '\\x00'::bytea",
    "CREATE FUNCTION trap.convert_from(bytea, name) RETURNS text LANGUAGE sql RETURN '{}'",
    "CREATE VIEW trap.pg_trigger AS SELECT * FROM pg_catalog.pg_trigger WHERE tgname <> 'quiet'",
    "CREATE VIEW trap.pg_inherits AS SELECT * FROM pg_catalog.pg_inherits WHERE false",
    "CREATE VIEW trap.pg_db_role_setting AS SELECT * FROM pg_catalog.pg_db_role_setting"
    " WHERE false",
)
"""Functions and views of one's own, found before those of Postgres."""
CHILD = "CREATE TABLE {} () INHERITS (audit.record)"
CHILD_ROWS = """
INSERT INTO public.record_2 (canonical, leaf_hash)
SELECT made, sha256('\\x00'::bytea || made) FROM (
  SELECT convert_to(replace(convert_from(canonical, 'UTF8'), id::text, gen_random_uuid()::text),
                    'UTF8') AS made
    FROM audit.record WHERE tag = 'corpus:published') AS forged
"""
SCHEMA, OFFICER = ProblemClass.SCHEMA_ALTERED, ProblemClass.OFFICER_ALTERED
BESIDE = {
    "child of the record": way(SCHEMA, CHILD.format("audit.record_2")),
    "child in another schema": way(SCHEMA, CHILD.format("public.record_2")),
    "child of the texts": way(
        SCHEMA, "CREATE TABLE public.more () INHERITS (citebound.policy_versions)"
    ),
    "trigger on the inbox": way(
        SCHEMA,
        "CREATE FUNCTION public.drop_it() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NULL; END'",
        "CREATE TRIGGER quiet BEFORE INSERT ON citebound.inbox FOR EACH ROW"
        " EXECUTE FUNCTION public.drop_it()",
    ),
    "trigger that fires never": way(
        SCHEMA,
        "DROP TRIGGER check_clock ON audit.record",
        "CREATE TRIGGER check_clock BEFORE INSERT ON audit.record FOR EACH ROW WHEN (false)"
        " EXECUTE FUNCTION audit.check_clock()",
        "ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_clock",
    ),
    "rule on the outbox": way(
        SCHEMA, "CREATE RULE quiet AS ON INSERT TO citebound.outbox DO INSTEAD NOTHING"
    ),
    "function that chooses versions": way(
        SCHEMA, "ALTER FUNCTION citebound.live_versions SET search_path = public"
    ),
    "row policy of the texts": way(
        SCHEMA, "DROP POLICY policy_versions_audience ON citebound.policy_versions"
    ),
    "row policy open to everybody": way(
        SCHEMA, "ALTER POLICY record_unit ON audit.record USING (true)"
    ),
    "constraint without effect": way(
        SCHEMA,
        "ALTER TABLE audit.content DROP CONSTRAINT content_salt_check",
        "ALTER TABLE audit.content ADD CONSTRAINT content_salt_check CHECK (true)",
    ),
    "tag that closes no message": way(SCHEMA, "UPDATE audit.tag SET is_outcome = NOT is_outcome"),
    "authors of a tag": way(
        SCHEMA, "UPDATE audit.tag SET authors = '{citebound_app}' WHERE tag = 'ledger:anchored'"
    ),
    "tag of their own": way(SCHEMA, "INSERT INTO audit.tag (tag, is_outcome) VALUES ('a:b', true)"),
    "officer inserted": way(
        OFFICER, "INSERT INTO audit.officer (login, units, audiences) VALUES ('eve', '{*}', '{*}')"
    ),
    "officer with more units": way(OFFICER, "UPDATE audit.officer SET units = '{*}'"),
    "officer removed": way(OFFICER, "DELETE FROM audit.officer"),
    "officer revoked unseen": way(OFFICER, "UPDATE audit.officer SET revoked_at = now()"),
}


@pytest.fixture
async def house(service: Service, engine: AsyncEngine) -> SealedLedger:
    """The product with a policy, all sealed."""
    ledger = SealedLedger(engine)
    own = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    await PostgresGrants(engine, ledger=own).grant(
        "anna", units=["berlin"], audiences=[], has_login=False, by="test"
    )
    async with engine.connect() as connection:
        records = await connection.scalar(text("SELECT count(*) FROM audit.record"))
    await ledger.seal(until=int(records or 0))
    return ledger


async def verified(ledger: SealedLedger) -> tuple[Verification, set[ProblemClass]]:
    found = await ledger.verify()
    return found, {problem.kind for problem in found.problems}


@pytest.mark.parametrize("name", TEXTS)
async def test_a_policy_that_was_changed_in_place_is_found(
    house: SealedLedger, change: Change, name: str
) -> None:
    """By `audit verify`, and by whoever looks at the corpus."""
    assert (await verified(house))[0].result == "intact"
    await change(*TEXTS[name].statements)
    found, kinds = await verified(house)
    assert kinds == {TEXTS[name].kind}
    assert CODES[found.result] == TEXTS[name].code
    altered = await PostgresCorpusReport(house.engine).altered()
    assert [problem.detail for problem in found.problems] == altered


async def test_what_was_not_published_so_is_not_quoted(
    house: SealedLedger, ask: Ask, change: Change, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asks is told so, a person answers, and the log says why."""
    before = (await ask(LIMIT)).answer
    assert "EUR 50" in before.text
    await change(TEXT, CHUNKS)
    after = (await ask(LIMIT, thread="ben")).answer
    assert (after.outcome, after.refusal) == (Outcome.ESCALATED, RefusalKind.NOT_FOUND)
    assert after.needs_person
    assert not after.citations
    assert "EUR" not in after.text
    assert "must not be quoted" in after.text
    assert "the stored text is not the one that was published" in caplog.text
    await change(TEXT.replace("'EUR 50', 'EUR 99'", "'EUR 99', 'EUR 50'"))
    await change(CHUNKS.replace("'EUR 50', 'EUR 99'", "'EUR 99', 'EUR 50'"))
    assert (await ask(LIMIT, thread="cleo")).answer.text == before.text


async def test_a_quote_that_was_put_right_meanwhile_is_not_shown(
    service: Service, ask: Ask
) -> None:
    """Quote and text are compared, since the text was read before the quote is shown."""
    citation = (await ask(LIMIT)).answer.citations[0]
    corpus = service.corpus
    assert await corpus.altered({citation.span: citation.quote}) == frozenset()
    quoted = citation.quote.replace("50", "99")
    assert await corpus.altered({citation.span: quoted}) == {citation.span.version_id}


async def test_what_was_published_before_is_recorded_as_it_is(
    house: SealedLedger, change: Change
) -> None:
    """By the migration: from then on a change of it shows."""
    await migrate(house.engine, to="0070_reach")
    await change(*TEXTS["a version of their own"].statements)
    await migrate(house.engine)
    report = PostgresCorpusReport(house.engine)
    assert await report.altered() == []
    await change("UPDATE citebound.policy_versions SET text = text || '.' WHERE number = 2")
    assert await report.altered() == ["gifts, version 2: its text is not what was published"]


async def test_records_that_make_no_sense_hide_nothing(house: SealedLedger, change: Change) -> None:
    """Nor do they keep a verification from its end."""
    for versions in ("1", '"x"', "[1, null]", '[{"policy_version": null}]', '[{"after": 1}]'):
        await change(NONSENSE, versions=versions)
    await change(TEXT)
    altered = await PostgresCorpusReport(house.engine).altered()
    assert [line for line in altered if line.startswith("gifts, ")] == [
        "gifts, version 1: its text is not what was published"
    ]
    assert (await verified(house))[0].result == "tampered"


async def test_the_record_of_another_version_lets_nothing_through(
    service: Service, ask: Ask, change: Change, engine: AsyncEngine
) -> None:
    """Who can add to the record can say nothing else of a version: every record has to agree."""
    citation = (await ask(LIMIT)).answer.citations[0]
    await change(TEXT, FORGED)
    async with engine.connect() as connection:
        quote = await connection.scalar(
            text("SELECT substr(text, :start, :length) FROM citebound.policy_versions"),
            {
                "start": citation.span.char_start + 1,
                "length": citation.span.char_end - citation.span.char_start,
            },
        )
    assert "EUR 99" in str(quote)
    assert await service.corpus.altered({citation.span: str(quote)}) == {citation.span.version_id}


@pytest.mark.parametrize("name", BESIDE)
async def test_what_decides_beside_the_record_is_found(
    house: SealedLedger, change: Change, name: str
) -> None:
    """Also where whoever did it has set a path of names on which functions of theirs come first."""
    assert (await verified(house))[0].result == "intact"
    await change(*BESIDE[name].statements, *HIJACKED)
    async with house.engine.begin() as connection:
        database = await connection.scalar(text("SELECT quote_ident(current_database())"))
        path = "SET search_path = trap, pg_catalog, public"
        await connection.execute(text(f"ALTER DATABASE {database} {path}"))
    await house.engine.dispose()  # a session keeps what it began with
    found, kinds = await verified(house)
    assert kinds == {BESIDE[name].kind, ProblemClass.RIGHTS_ALTERED}
    assert CODES[found.result] == BESIDE[name].code


@pytest.mark.parametrize(
    "setting",
    ["session_replication_role = replica", "search_path = trap", "row_security = off",
     "synchronous_commit = off", "session_preload_libraries = 'auto_explain'"],
)  # fmt: skip
async def test_what_is_set_for_the_database_is_found(house: SealedLedger, setting: str) -> None:
    """But for what changes how long something takes."""
    async with house.engine.begin() as connection:
        database = await connection.scalar(text("SELECT quote_ident(current_database())"))
        for harmless in ("statement_timeout = '60s'", "work_mem = '64MB'", "log_statement = 'ddl'"):
            await connection.execute(text(f"ALTER DATABASE {database} SET {harmless}"))
    assert (await verified(house))[0].result == "intact"
    async with house.engine.begin() as connection:
        await connection.execute(text(f"ALTER DATABASE {database} SET {setting}"))
    found, kinds = await verified(house)
    assert kinds == {ProblemClass.RIGHTS_ALTERED}
    assert setting.partition(" ")[0] in found.problems[0].detail


async def test_what_a_child_of_the_record_holds_proves_nothing(
    house: SealedLedger, change: Change
) -> None:
    """Rows are read of the tables themselves."""
    await change(
        CHILD.format("public.record_2"),
        "ALTER TABLE public.record_2 ADD CHECK (true)",
    )
    async with house.engine.begin() as connection:
        await connection.execute(text(CHILD_ROWS))
    found, kinds = await verified(house)
    assert kinds == {SCHEMA}
    assert found.unsealed == 0


EXCHANGED = """
CREATE TEMP TABLE kept ON COMMIT DROP AS
  SELECT pseudonym, lead(match_hash, 1, first) OVER (ORDER BY pseudonym) AS match_hash
    FROM (SELECT *, first_value(match_hash) OVER (ORDER BY pseudonym) AS first
            FROM audit.identity) AS all_of_them;
UPDATE audit.identity SET match_hash = set_byte(match_hash, 0, 255 - get_byte(match_hash, 0));
UPDATE audit.identity SET match_hash = kept.match_hash FROM kept
 WHERE kept.pseudonym = identity.pseudonym
"""


@pytest.mark.parametrize(
    "statement",
    [EXCHANGED, "UPDATE audit.identity SET sealed = sealed || '\\x00'::bytea WHERE pseudonym ="
     " (SELECT min(pseudonym) FROM audit.identity)"],
    ids=["exchanged", "sealed anew"],
)  # fmt: skip
async def test_whom_a_pseudonym_stands_for_is_held_to_its_record(
    engine: AsyncEngine, change: Change, statement: str
) -> None:
    sealing = IdentityKey.generate().public
    pseudonyms = Pseudonyms(b"k" * 32, sealing=sealing)
    Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin", pseudonyms=pseudonyms)
    async with engine.begin() as connection:
        for person in ("anna", "ben"):
            account = Account(platform="slack", tenant="T1", person=person)
            await pseudonyms.make(connection, account, "2026-Q1")
    ledger = SealedLedger(engine)
    await ledger.seal(until=2)
    assert (await verified(ledger))[0].result == "intact"
    await change(*statement.split(";"))
    found, kinds = await verified(ledger)
    assert kinds == {ProblemClass.OFFICER_ALTERED}
    assert CODES[found.result] == 1


async def test_without_a_key_to_seal_with_nothing_of_a_person_is_recorded(
    engine: AsyncEngine,
) -> None:
    """Whoever has the key of pseudonyms could tell from it who was erased."""
    pseudonyms = Pseudonyms(b"k" * 32)
    Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin", pseudonyms=pseudonyms)
    async with engine.begin() as connection:
        account = Account(platform="slack", tenant="T1", person="anna")
        await pseudonyms.make(connection, account, "2026-Q1")
        assert await connection.scalar(text("SELECT count(*) FROM audit.record")) == 0

"""The commands with a Voyage key, against a local server that speaks its API."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.conftest import ROOT, Run
from tests.servers.voyage import (
    KEY,
    Answer,
    VoyageServer,
    body,
    embeddings,
    good,
    status,
    voyage_server,
)

QUESTION = "How quickly do gifts above the limit have to be reported to Compliance?"
"""Its answer is searched for: the ontology does not suffice."""
NO_KEY = {"VOYAGE_API_KEY": ""}
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def voyage() -> Iterator[VoyageServer]:
    """A server that answers as the service does, unless a test says otherwise."""
    with voyage_server() as server:
        server.always = good()
        yield server


@pytest.fixture
def keyed(voyage: VoyageServer) -> dict[str, str]:
    """The settings of somebody with a key."""
    return {
        "VOYAGE_API_KEY": KEY,
        "VOYAGE_BASE_URL": voyage.base_url,
        "CITEBOUND_VOYAGE_TIMEOUT_S": "2",
    }


@pytest.fixture
def failing(voyage: VoyageServer, keyed: dict[str, str]) -> Callable[[Answer], dict[str, str]]:
    """Let the server answer so from now on; returns the settings that lead to it."""

    def run(answer: Answer) -> dict[str, str]:
        voyage.always = answer
        return keyed

    return run


@pytest.fixture
def ask(citebound: Run) -> Ask:
    """Ask, and return the trace."""

    def run(**settings: str) -> dict[str, Any]:
        done = citebound("ask", "--json", QUESTION, **settings)
        assert done.code == 0, done.err
        assert KEY not in done.out + done.err
        found: dict[str, Any] = json.loads(done.out)["trace"]
        return found

    return run


def test_with_a_key_a_fresh_corpus_is_embedded_by_voyage(
    citebound: Run, ask: Ask, policies: Path, voyage: VoyageServer, keyed: dict[str, str]
) -> None:
    """Nothing else has to be changed; chunks are documents, the question is a query."""
    assert citebound("ingest", str(policies), **keyed).code == 0
    listed = citebound("corpus", "spaces", **keyed).out
    assert "serving" in listed
    assert "voyage:voyage-3-large" in listed
    assert {asked.body["input_type"] for asked in voyage.asked} == {"document"}
    trace = ask(**keyed)
    assert trace["warnings"] == []
    assert voyage.asked[-1].body["input"] == [QUESTION]
    assert voyage.asked[-1].body["input_type"] == "query"


def test_an_outage_leaves_words_and_a_warning(
    citebound: Run, ask: Ask, policies: Path, voyage: VoyageServer, keyed: dict[str, str]
) -> None:
    """The question is answered all the same, through every stage."""
    citebound("ingest", str(policies), **keyed)
    usual = ask(**keyed)
    voyage.always = status(503)
    trace = ask(**keyed)
    assert trace["final_state"] == usual["final_state"] == "answered"
    (warning,) = trace["warnings"]
    assert warning.startswith("searched by words alone: Voyage failed (503)")


def test_hits_are_reranked(
    citebound: Run, ask: Ask, policies: Path, voyage: VoyageServer, keyed: dict[str, str]
) -> None:
    """With a rerank model the question and the chunks go to it; its failure is a warning."""
    citebound("ingest", str(policies), **keyed)
    reranking = keyed | {"CITEBOUND_RERANK_MODEL": "rerank-2.5"}
    assert ask(**reranking)["warnings"] == []
    asked = voyage.asked[-1]
    assert (asked.path, asked.body["query"]) == ("/v1/rerank", QUESTION)
    voyage.script = [good(), body({"data": []})]
    (warning,) = ask(**reranking)["warnings"]
    assert warning.startswith("not reranked: expected")


def test_a_corpus_is_moved_to_voyage_and_back(
    citebound: Run, ask: Ask, policies: Path, voyage: VoyageServer, keyed: dict[str, str]
) -> None:
    """Until then the space it was embedded in serves, and the trace says how to switch."""
    citebound("ingest", str(policies))
    (warning,) = ask(**keyed)["warnings"]
    assert "searched in local:" in warning
    assert "`citebound corpus embed` switches" in warning
    assert "`citebound corpus embed` switches" in citebound("doctor", **keyed).out
    would = json.loads(citebound("corpus", "embed", "--dry-run", "--json", **keyed).out)
    assert (would["serves"], would["chunks"] > 0, voyage.asked) == (False, True, [])

    moved = citebound("corpus", "embed", **keyed)
    assert (moved.code, moved.err) == (0, "")
    assert f"{would['texts']} texts embedded in voyage:voyage-3-large." in moved.out
    assert "It serves now" in moved.out
    assert "nothing to do" in citebound("corpus", "embed", **keyed).out
    assert ask(**keyed)["warnings"] == []

    back = json.loads(citebound("corpus", "embed", "--space", "local", "--drop-old", "--json").out)
    assert (back["texts_embedded"], back["has_switched"]) == (0, True)
    assert back["dropped"] == {"voyage:voyage-3-large": would["chunks"]}
    assert ask(**NO_KEY)["warnings"] == []


def test_without_the_key_of_its_space_a_corpus_is_searched_by_words(
    citebound: Run, ask: Ask, policies: Path, keyed: dict[str, str]
) -> None:
    """Asking goes on with a warning; new chunks would lack vectors, so they are refused."""
    citebound("ingest", str(policies), **keyed)
    (warning,) = ask(**NO_KEY)["warnings"]
    assert "words alone: voyage:voyage-3-large serves: VOYAGE_API_KEY is not set" in warning
    (policies / "more.md").write_text("# Travel Policy\n\n1.1 Trains must be preferred.\n")
    refused = citebound("ingest", str(policies / "more.md"), **NO_KEY)
    assert refused.code == 3
    assert "new chunks can't be embedded: voyage:voyage-3-large serves" in refused.err
    assert "→ voyage:voyage-3-large serves" in citebound("doctor", **NO_KEY).out


@pytest.mark.parametrize(
    ("answer", "code_and_words"),
    [
        (body(embeddings()), (1, "vectors from Voyage, got 0")),
        (status(400, "Model gone"), (1, "Voyage refused the request (400): Model gone")),
        (status(401), (3, "Voyage refused the key (401): check VOYAGE_API_KEY")),
    ],
)
def test_a_failed_embedding_stores_nothing(
    citebound: Run,
    policies: Path,
    failing: Callable[[Answer], dict[str, str]],
    answer: Answer,
    code_and_words: tuple[int, str],
) -> None:
    """The file is named with the cause, and the corpus stays as it was."""
    code, said = code_and_words
    keyed = failing(answer)
    done = citebound("ingest", str(policies), **keyed)
    assert done.code == code
    assert said in done.out + done.err
    assert KEY not in done.out + done.err
    assert citebound("corpus", "list", **keyed).code == 4


def test_doctor_shows_voyage_and_never_its_key(
    citebound: Run, voyage: VoyageServer, keyed: dict[str, str]
) -> None:
    """It names model and address, and calls nothing."""
    done = citebound("doctor", CITEBOUND_RERANK_MODEL="rerank-2.5-lite", **keyed)
    assert "voyage:voyage-3-large at http://127.0.0.1" in done.out
    assert "rerank-2.5-lite" in done.out
    assert KEY not in done.out
    assert voyage.asked == []


def test_doctor_calls_voyage_if_asked_to(
    citebound: Run, failing: Callable[[Answer], dict[str, str]]
) -> None:
    """With `--live`, whether the key is taken; a slash behind the address does no harm."""
    keyed = failing(good())
    slashed = keyed | {"VOYAGE_BASE_URL": keyed["VOYAGE_BASE_URL"] + "/"}
    live = citebound("doctor", "--live", **slashed)
    assert "voyage-3-large answered with 1024 dimensions, in" in live.out
    failing(status(401))
    refused = citebound("doctor", "--live", **keyed)
    assert refused.code == 3
    assert "Voyage refused the key (401): check VOYAGE_API_KEY" in refused.out


@pytest.mark.parametrize(
    ("words", "settings", "said"),
    [
        ((), {"CITEBOUND_VOYAGE_MODEL": "voyage-9"}, "CITEBOUND_VOYAGE_MODEL: expected one of"),
        (("--space", "nonsense"), {}, "expected local, voyage or voyage:MODEL, got 'nonsense'"),
        (("--space", "voyage:voyage-4-nano"), {}, "expected one of voyage-3-large"),
        (("--space", "voyage"), {"VOYAGE_API_KEY": ""}, "VOYAGE_API_KEY is not set"),
    ],
)
def test_what_can_not_be_embedded_in_is_named(
    citebound: Run,
    keyed: dict[str, str],
    words: tuple[str, ...],
    settings: dict[str, str],
    said: str,
) -> None:
    """One line, and nothing is called."""
    done = citebound("corpus", "embed", *words, **(keyed | settings))
    assert done.code in {2, 3}
    assert said in done.err


def test_the_sdk_is_loaded_by_the_first_call(
    environment: Mapping[str, str], keyed: dict[str, str]
) -> None:
    """A key costs no time at the start of a command."""
    code = (
        "import sys; from bot import cli; cli.run(['corpus', 'spaces']);"
        " sys.exit(int('voyageai' in sys.modules or 'aiohttp' in sys.modules))"
    )
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", code],
        env={**environment, **keyed},
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr

"""The real SDK over HTTP against a scripted server: what is sent, and what is believed."""

import math

import pytest

from core.adapters.voyage.client import VoyageClient
from core.adapters.voyage.text_models import VoyageEmbedder
from core.domain.errors import ConfigError, ContractError, TransientError
from tests.servers.voyage import (
    DIMENSIONS,
    KEY,
    Answer,
    VoyageServer,
    body,
    embeddings,
    encoded,
    good,
    status,
    words_vector,
)

UNIT = [1.0] + [0.0] * (DIMENSIONS - 1)
OTHER = [0.0, 1.0] + [0.0] * (DIMENSIONS - 2)


@pytest.fixture
def embedder(client: VoyageClient) -> VoyageEmbedder:
    return VoyageEmbedder(client, model="voyage-3-large", question_timeout_s=5.0)


async def test_a_question_is_embedded_as_a_query(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """One request with model, key and input type; a unit vector comes back."""
    server.script = [good()]
    vector = await embedder.embed_query("May I accept a gift?")
    asked = server.asked[0]
    assert asked.path == "/v1/embeddings"
    assert asked.authorization == f"Bearer {KEY}"
    assert asked.body["input"] == ["May I accept a gift?"]
    assert (asked.body["model"], asked.body["input_type"]) == ("voyage-3-large", "query")
    assert len(vector) == embedder.space.dimensions == DIMENSIONS
    assert math.isclose(sum(value * value for value in vector), 1.0, abs_tol=1e-5)


async def test_the_same_question_is_embedded_once(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """A deeper search for it needs no second call."""
    server.script = [good()]
    assert await embedder.embed_query("a") == await embedder.embed_query("a")


@pytest.mark.parametrize(("model", "asked"), [("voyage-4-large", 1024), ("voyage-law-2", None)])
async def test_the_size_is_asked_for_where_there_are_several(
    server: VoyageServer, client: VoyageClient, model: str, asked: int | None
) -> None:
    """A default of the service may change; a model of one size takes no wish."""
    server.script = [good()]
    await VoyageEmbedder(client, model=model, question_timeout_s=5.0).embed_query("a")
    assert server.asked[0].body["output_dimension"] == asked


async def test_documents_are_embedded_as_documents(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """Their input type is `document`, and each has its own vector, in order."""
    server.script = [good()]
    texts = ["gifts are limited", "travel is booked early"]
    vectors = await embedder.embed_documents(texts)
    assert server.asked[0].body["input_type"] == "document"
    for text, vector in zip(texts, vectors, strict=True):
        assert vector == pytest.approx(words_vector(text), abs=1e-5)


async def test_no_texts_are_no_request(embedder: VoyageEmbedder) -> None:
    """Nothing to embed asks nothing."""
    assert await embedder.embed_documents([]) == []


async def test_many_texts_are_several_requests(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """Batches stay within the limits, a few run at once, and the order is kept."""
    server.always = good()
    texts = [f"clause number {n}" for n in range(700)]
    vectors = await embedder.embed_documents(texts)
    assert [len(part) for part in sorted(server.inputs(), key=len)] == [60, 128, 128, 128, 128, 128]
    assert server.busiest <= 4
    assert [vectors[n] == pytest.approx(words_vector(texts[n]), abs=1e-5) for n in (0, 333, 699)]


async def test_long_texts_are_split_by_tokens(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """120,000 tokens are the most of a request to this model."""
    server.always = good()
    await embedder.embed_documents(["1234567890 " * 4_000] * 5)
    assert [len(part) for part in server.inputs()] == [2, 2, 1]


async def test_a_batch_with_too_many_tokens_is_halved(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """Where our estimate was too low, the halves are sent instead."""
    refused = status(400, "The max allowed tokens per submitted batch is 120000.")
    server.script = [refused, good(), good()]
    assert len(await embedder.embed_documents(["one", "two", "three"])) == 3
    assert server.inputs() == [["one", "two", "three"], ["one"], ["two", "three"]]


async def test_vectors_follow_their_numbers(server: VoyageServer, embedder: VoyageEmbedder) -> None:
    """A reply in another order is put right."""
    reply = embeddings(UNIT, OTHER)
    reply["data"].reverse()
    server.script = [body(reply)]
    first, second = await embedder.embed_documents(["a", "b"])
    assert (first[0], second[1]) == (1.0, 1.0)


async def test_a_vector_is_scaled_to_unit_norm(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """What comes with another length gets length 1."""
    server.script = [body(embeddings([3.0, 4.0] + [0.0] * (DIMENSIONS - 2)))]
    assert (await embedder.embed_query("a"))[:2] == pytest.approx((0.6, 0.8))


async def test_plain_numbers_are_read_as_well(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """A service that ignores the wish for base64 is understood."""
    reply = embeddings(UNIT)
    reply["data"][0]["embedding"] = UNIT
    server.script = [body(reply)]
    assert (await embedder.embed_query("a"))[0] == 1.0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (body("not JSON"), "can't be read"),
        (body("[1, 2]"), "can't be read"),
        (body({"object": "list"}), "can't be read"),
        (body({"data": "nonsense", "usage": {}}), "can't be read"),
        (body(embeddings()), "expected 1 vectors from Voyage, got 0"),
        (body(embeddings(UNIT, UNIT)), "expected 1 vectors from Voyage, got 2"),
        (body(embeddings(UNIT[:384])), "expected vectors of 1024 dimensions"),
        (body(embeddings([math.nan] * DIMENSIONS)), "no direction"),
        (body(embeddings([math.inf, *UNIT[1:]])), "no direction"),
        (body(embeddings([0.0] * DIMENSIONS)), "no direction"),
        (body({"data": [{"index": 7, "embedding": encoded(UNIT)}]}), "not numbered"),
        (body({"data": [{"embedding": encoded(UNIT)}]}), "lacks its number"),
        (body({"data": [{"index": 0, "embedding": None}]}), "lacks its number"),
        (body({"data": [{"index": 0, "embedding": "!"}]}), "dimensions"),
        (body({"data": [{"index": 0, "embedding": ["a"] * DIMENSIONS}]}), "else than numbers"),
        (body({"data": [None]}), "Voyage"),
        (body("", status=204), "can't be read"),
    ],
)
async def test_a_bad_reply_is_a_broken_word(
    server: VoyageServer, embedder: VoyageEmbedder, answer: Answer, words: str
) -> None:
    """It is not repeated, and no vector of it is used."""
    server.script = [answer]
    with pytest.raises(ContractError, match=words):
        await embedder.embed_query("a")
    assert len(server.asked) == 1


async def test_twice_the_same_number_is_refused(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """Otherwise a text would get the vector of another."""
    reply = embeddings(UNIT, OTHER)
    reply["data"][1]["index"] = 0
    server.script = [body(reply)]
    with pytest.raises(ContractError, match="not numbered"):
        await embedder.embed_documents(["a", "b"])


async def test_a_failed_batch_ends_the_others(
    server: VoyageServer, embedder: VoyageEmbedder
) -> None:
    """One clear error, not a group of them."""
    server.always = status(401)
    with pytest.raises(ConfigError, match="refused the key"):
        await embedder.embed_documents(["a"] * 600)


async def test_an_outage_is_transient(server: VoyageServer, embedder: VoyageEmbedder) -> None:
    """Documents wait longer than a question, and then say what happened."""
    server.always = status(503)
    with pytest.raises(TransientError, match=r"Voyage failed \(503\) \(6 attempts\)"):
        await embedder.embed_documents(["a"])


@pytest.mark.parametrize("model", ["voyage-4-nano", "voyage-9", ""])
def test_an_unknown_model_is_named(client: VoyageClient, model: str) -> None:
    """Its limits are not known, and the SDK would run `voyage-4-nano` on this machine."""
    with pytest.raises(ConfigError, match="CITEBOUND_VOYAGE_MODEL: expected one of voyage-3-large"):
        VoyageEmbedder(client, model=model, question_timeout_s=5.0)

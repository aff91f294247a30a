"""The one small call behind `doctor --live`."""

from core.adapters.voyage.client import VoyageAccess
from core.adapters.voyage.text_models import check_voyage
from tests.servers.voyage import KEY, VoyageServer, good, status


async def test_a_working_key_is_said_to_work(server: VoyageServer) -> None:
    """Both models are called once, with a few words."""
    server.script = [good(), good()]
    access = VoyageAccess(api_key=KEY, base_url=server.base_url)
    found = await check_voyage(
        access, model="voyage-3-large", rerank_model="rerank-2.5", timeout_s=5
    )
    assert found.worked
    assert "voyage-3-large answered with 1024 dimensions, rerank-2.5 with a score" in found.found
    assert [asked.path for asked in server.asked] == ["/v1/embeddings", "/v1/rerank"]


async def test_a_refused_key_is_named(server: VoyageServer) -> None:
    """One line with the cure, without the key."""
    server.script = [status(401)]
    access = VoyageAccess(api_key=KEY, base_url=server.base_url)
    found = await check_voyage(access, model="voyage-3-large", rerank_model=None, timeout_s=5)
    assert not found.worked
    assert found.found == "Voyage refused the key (401): check VOYAGE_API_KEY"


async def test_an_unknown_model_is_named() -> None:
    """Without a call."""
    access = VoyageAccess(api_key=KEY)
    found = await check_voyage(access, model="voyage-9", rerank_model=None, timeout_s=5)
    assert not found.worked
    assert "CITEBOUND_VOYAGE_MODEL" in found.found

"""Questions about the policies themselves, at the terminal."""

import json

from tests.acceptance.cli.conftest import ROOT, Run

SAMPLES = ROOT / "samples" / "policies"


def test_facts_about_policies_are_told_at_the_terminal(citebound: Run) -> None:
    """Owner and version with High confidence and the heading as source; then which one is meant."""
    for name in ("travel.pdf", "gifts-v2.md", "third-party.txt", "treasury.md"):
        assert citebound("ingest", str(SAMPLES / name), "--no-rag").code == 0
    owner = citebound("ask", "Who owns the travel policy?")
    assert "High confidence" in owner.out
    assert (
        "\u201cTravel and Expenses Policy\u201d is owned by the Head of Finance. [1]" in owner.out
    )
    assert "without a language model" in owner.out
    told = json.loads(citebound("ask", "Which version of the gifts policy is it?", "--json").out)
    assert told["answer"].startswith("Version 2.0 of \u201cGifts and Hospitality Policy\u201d")
    assert told["trace"]["plan"]["intent"] == "about_policies"
    assert told["trace"]["reasoner"] == "metadata/1"
    listed = citebound("ask", "What policies do you have?")
    assert "third-party due diligence policy" in listed.out.lower()
    unknown = json.loads(citebound("ask", "Who owns the pension policy?", "--json").out)
    assert unknown["outcome"] == "refused"

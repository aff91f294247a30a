"""Whether a document says of itself that it is not in force."""

import time
from datetime import date

import pytest

from core.domain.policy import NEVER
from core.ingest.prepare import prepare

RULES = "\n\n## 1 Rules\n\nDogs must stay at home.\n"


def standing(text: str) -> str:
    """Return the words by which a document says that it is not in force."""
    return prepare(text.encode(), source_name="pets.md").document.metadata.get("status", "")


@pytest.mark.parametrize(
    "text",
    [
        "# Pets\n\nStatus: DRAFT - not approved, for comment only",
        "# Pets\n\n| Owner | HR |\n|---|---|\n| Status | Consultation draft |",
        "---\nstatus: draft\n---\n# Pets",
        "# Pets (DRAFT)",
        "# Pets at work (consultation draft), Wrenfield",
        "# DRAFT: Pets at work",
        "# Draft: Pets at work",
        "# Proposal: Pets at work",
        "# Pets at work \u2013 Entwurf",
        "# Pets (planned, not decided)",
        "# Pets at work\n\nVersion 0.7 - draft for partners, please do not circulate",
        "# Pets\n\n**DRAFT v0.3**",
        "# Pets\n\nFor comment until the end of June; not approved.",
        "# Pets\n\n> This page is work in progress and has not been agreed.",
        "# Pets\n\nThis page is archived. Look at Pets 2026.",
        "# Pets\n\nWITHDRAWN. Dogs are welcome.",
        "# Pets\n\nSuperseded by Animals at Work.",
        "# Pets\n\nStatus: obsolete",
        "# Tiere\n\nStatus: Entwurf zur Abstimmung mit dem Betriebsrat",
        "# Tiere\n\nAufgehoben mit Wirkung vom 1. Juli 2025.",
        "# Tiere\n\nDiese Richtlinie ist nicht mehr in Kraft.",
    ],
)
def test_what_says_that_it_is_not_in_force_never_is(text: str) -> None:
    """By a label, its title, or a notice above its first section."""
    assert standing(text + RULES)


@pytest.mark.parametrize(
    "text",
    [
        "# Pets\n\nStatus: in force since 1 March 2023",
        "# Pets\n\nStatus: Approved (the draft was withdrawn)",
        "# Pets (DRAFT)\n\nStatus: final",
        "# Pets\n\nStatus: reviewed yearly",
        "# Tiere\n\nStatus: freigegeben",
        "# Draft contracts\n\nDraft contracts are reviewed by Legal.",
        "# Archive: retention of records",
        "# Proposals and how to write them",
        "# Archived records\n\nArchived records are kept for 10 years.",
        "# Pets\n\nThis policy is superseded by local law where that is stricter.",
        "# Pets\n\nThis policy replaces the Pets Code (2021), which was withdrawn.",
        "# Expired badges\n\n- Draft\n- Archived",
        "# Pets\n\nWithdrawn consent must be recorded.",
        "# Pets\n\nA draft for the board must be sent to Legal.",
    ],
)
def test_what_speaks_of_drafts_in_general_is_in_force(text: str) -> None:
    """Also what was approved, and what says something unknown of its status."""
    assert not standing(text + RULES)


def test_a_notice_in_a_later_section_is_not_of_the_document() -> None:
    """It is a rule's own."""
    assert not standing(f"# Pets{RULES}\nDRAFT\n")


def test_a_section_that_is_not_in_force_is_left_out_alone() -> None:
    """Its heading, or one above it, says so in brackets; of the title's own brackets it is none."""
    text = (
        "# Handbook (draft)\n\n## 4 Tips (suspended since May 2025)\n\nTips are shared.\n\n"
        "### 4.1 Cash\n\nCash is shared.\n\n## 5 Meals (lunch)\n\nMeals are free.\n\n"
        "## Parts under discussion (not approved)\n\nDogs are welcome.\n"
    )
    prepared = prepare(text.encode(), source_name="a.md")
    assert [chunk.text for chunk in prepared.chunks] == ["Meals are free."]
    assert any(note.startswith("left out 3 sections") for note in prepared.document.notes)


def test_the_day_of_a_withdrawal_ends_a_document() -> None:
    """Without one it was never in force; whoever ingests it may say since when it is."""
    dated = prepare(f"# Pets\n\nStatus: withdrawn 30 June 2022{RULES}".encode(), source_name="a.md")
    assert dated.metadata.effective_until == date(2022, 6, 30)
    assert dated.metadata.effective_from is None
    draft = prepare(
        f"# Pets\n\nStatus: draft\n\nEffective from: 2020-01-01{RULES}".encode(), source_name="a.md"
    )
    assert draft.metadata.effective_from == NEVER


def test_a_hostile_beginning_is_read_at_once() -> None:
    """Its length does not matter."""
    begun = time.perf_counter()
    for part in ("(", "-", " \u00a0", "draft ", "not yet ", "version 1 ", "this a ", "- draft."):
        standing(f"Status: {part * 8000}\n\n{part * 8000}")
    assert time.perf_counter() - begun < 20

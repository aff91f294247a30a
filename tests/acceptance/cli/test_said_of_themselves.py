"""What documents say of themselves, at the terminal: drafts, amendments, numbers, lists."""

from pathlib import Path

from tests.acceptance.cli.conftest import Run

RECORDS = """# Records Rules Nordhafen

## 2 Complaint files

Complaint files must be kept for 180 days after the complaint was closed.

## 3 Visitor logs

### 3.1 Paper

Visitor logs must be kept for 30 days, unless section 2 says otherwise.
"""
AMENDMENT = """# Amendment No. 2 to the Records Rules

In section 2, the words "180 days" are replaced by "270 days".

Section 3 is not changed.
"""
FLATS = """# Holiday Flats for Staff, Obermatt Watches

1. A flat is let for at most 10 nights.
2. A night costs CHF 45.
3. Pets cost CHF 5 a night.
"""
CHANGE = """# Change of the Rules on Holiday Flats, valid from 1 May 2026

In no. 2, "CHF 45" is replaced by "CHF 52".

No. 3 is deleted; pets are not allowed.
"""
SHARING = """# Data Sharing Policy

## 2 Sharing

Customer data may be shared outside the company only if:

1. the customer has consented in writing; or
2. a court has ordered it.

It is prohibited to share:

- health data;
- passwords.
"""


def test_an_amended_clause_is_shown_with_its_amendment(citebound: Run, tmp_path: Path) -> None:
    """However it is asked for, at most at Medium; what is not amended stands alone."""
    (tmp_path / "records.md").write_text(RECORDS)
    (tmp_path / "amendment.md").write_text(AMENDMENT)
    assert citebound("ingest", str(tmp_path)).code == 0
    for question in (
        "How long must complaint files be kept after a complaint is closed?",
        "What does section 2 of the Records Rules say?",
    ):
        answer = " ".join(citebound("ask", question).out.split())
        assert "kept for 180 days after the complaint was closed" in answer
        assert '"180 days" are replaced by "270 days"' in answer
        assert "High confidence" not in answer
    (tmp_path / "flats.md").write_text(FLATS)
    (tmp_path / "change.md").write_text(CHANGE)
    assert citebound("ingest", str(tmp_path)).code == 0
    closest = citebound("ask", "8 nights with my dog in june 2026, possible?").out
    assert "Closest passage" in closest
    assert "No. 3 is deleted; pets are not allowed." in " ".join(closest.split())
    answer = citebound("ask", "How long must visitor logs be kept?").out
    assert "30 days" in answer
    assert "replaced" not in answer
    assert "not changed" not in answer


def test_a_section_is_opened_by_its_number(citebound: Run, tmp_path: Path) -> None:
    """Of the only policy that has it, and not by a sentence that mentions it."""
    (tmp_path / "records.md").write_text(RECORDS)
    assert citebound("ingest", str(tmp_path)).code == 0
    for question in ("What does section 2 say?", "Show me \u00a7 2 of the Records Rules"):
        answer = citebound("ask", question).out
        assert "180 days" in answer
        assert "30 days" not in answer
    assert "30 days" in citebound("ask", "What does section 3.1 say?").out


def test_a_lead_in_is_quoted_with_its_own_items_alone(citebound: Run, tmp_path: Path) -> None:
    """A list of what is prohibited does not introduce the permission before it."""
    (tmp_path / "sharing.md").write_text(SHARING)
    assert citebound("ingest", str(tmp_path)).code == 0
    answer = citebound("ask", "When may customer data be shared outside the company?").out
    assert "Customer data may be shared outside the company only if:" in answer
    assert "It is prohibited to share:" not in answer


def test_a_draft_is_listed_and_answers_nothing(citebound: Run, tmp_path: Path) -> None:
    """Until whoever keeps the corpus says since when it is in force."""
    draft = tmp_path / "smoking.md"
    draft.write_text(
        "# Smoking Policy\n\nStatus: DRAFT\n\n## 1 Balconies\n\nStaff must not smoke.\n"
    )
    assert "it says 'DRAFT' of itself" in " ".join(citebound("ingest", str(draft)).out.split())
    assert "not in force" in citebound("corpus", "list").out
    question = "Must staff not smoke on balconies?"
    assert "Staff must not smoke." not in citebound("ask", question).out
    assert citebound("ingest", str(draft), "--effective-from", "2024-01-01").code == 0
    assert "not in force" not in citebound("corpus", "list").out
    assert "Staff must not smoke." in citebound("ask", question).out

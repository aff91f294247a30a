"""Real policies.

Their own headings are found, with numbers and pages, and nothing of headers and footers.
"""

from pathlib import Path

import pytest

from core.ingest.prepare import Prepared, prepare

pytestmark = pytest.mark.shared_data


def read(shared: Path, name: str) -> Prepared:
    return prepare((shared / "policies" / name).read_bytes(), source_name=name)


def numbers(prepared: Prepared) -> list[str]:
    return [section.number for section in prepared.sections if section.number]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "COMP-002_anti_corruption.md",
            "1 2 2.1 2.2 2.3 2.4 3 4 4.1 4.2 4.3 4.4 4.5 5 5.1 5.2 5.3 6 7 7.1 7.2 7.3 8 8.1 8.2"
            " 9 10 Appendix_A Appendix_B 11",
        ),
        (
            "FIN-001_expense_reimbursement.md",
            "1 2 3 4 5 5.1 5.2 5.3 5.4 5.5 6 6.1 6.2 6.3 7 8 9 10 11 Appendix_A 12",
        ),
        ("LEG-001_conflict_of_interest.md", "1 2 3 4 5 A B C 6 6.1 6.2 6.3 7 8 9 10 11 12"),
        (
            "LEG-002_records_retention.md",
            "1 2 3 4 5 5.1 5.2 5.3 5.4 5.5 6 6.1 6.2 7 8 9 9.1 9.2 9.3 10 11"
            " Appendix_A Appendix_B 12",
        ),
    ],
)
def test_policies_in_markdown(shared: Path, name: str, expected: str) -> None:
    prepared = read(shared, name)
    assert numbers(prepared) == [number.replace("_", " ") for number in expected.split()]
    assert prepared.metadata.key == name.split("_", maxsplit=1)[0].lower()
    assert prepared.metadata.label == "1.2"
    assert str(prepared.metadata.effective_from) == "2024-01-15"
    assert "**" not in prepared.document.text
    assert "##" not in prepared.document.text


def test_rulebook(shared: Path) -> None:
    prepared = read(shared, "adgm_aml_rulebook.txt")
    found = numbers(prepared)
    assert len(found) == len(set(found)) == len(prepared.sections)
    assert [number for number in found if number.isdecimal()] == [str(n) for n in range(1, 17)]
    wanted = {"1.1.1.(1)", "4.5.1", "5.1.1.Guidance.2", "9.3.1B.Guidance.5", "2.Guidance.29"}
    assert wanted <= set(found)
    rule = next(section for section in prepared.sections if section.number == "4.6.1")
    assert rule.path == ("4 GENERAL COMPLIANCE REQUIREMENTS", "4.6 Annual AML Return", "4.6.1")
    assert "removed 250 invisible characters" in prepared.document.left_out


def test_google_code(shared: Path) -> None:
    prepared = read(shared, "google_code_of_conduct.pdf")
    assert prepared.metadata.title == "Google Code of Conduct"
    pages = {section.title: section.page for section in prepared.sections}
    assert pages["Who Must Follow Our Code?"] == 1
    assert pages["No Retaliation"] == 2
    assert pages["Serve Our Users"] == 3
    assert pages["Support and Respect Each Other"] == 4
    assert pages["Dog Policy"] == 7
    assert pages["Personal Investments"] == 8
    assert pages["Conclusion"] == 25
    chapters = [
        section.number for section in prepared.sections if section.level == 2 and section.number
    ]
    assert chapters == ["I", "II", "III", "IV", "V", "VI", "VII", "VIII"]
    drugs = next(section for section in prepared.sections if section.title == "Drugs and Alcohol")
    assert drugs.path[1:] == (
        "II Support and Respect Each Other",
        "B Our practice",
        "3 Drugs and Alcohol",
    )


def test_boeing_guidelines(shared: Path) -> None:
    prepared = read(shared, "boeing_conduct_guidelines.pdf")
    assert prepared.metadata.title == "Ethical Business Conduct Guidelines"
    pages = {section.title: section.page for section in prepared.sections}
    assert pages["Our values"] == 4
    assert pages["Where to go for help"] == 10
    assert pages["Procurement integrity"] == 35
    assert pages["Environment"] == 45
    procedure = "Ethics and Business Conduct program Company Procedure PRO-3"
    summary = prepared.document.text.index(
        "Responsibility for the company\u2019s commitment to integrity"
    )
    assert prepared.document.page_of(summary) == 16
    assert prepared.document.text.index(procedure) < summary


def test_remote_work_policy(shared: Path) -> None:
    prepared = read(shared, "vanderbloemen_remote_work_policy.pdf")
    assert prepared.metadata.title == "REMOTE WORK POLICY"
    pages = {section.title: section.page for section in prepared.sections}
    assert pages["OVERVIEW"] == 2
    assert pages["FREQUENTLY ASKED QUESTIONS"] == 3
    assert pages["How does an employee receive approval to work remotely?"] == 4
    assert pages["CONCLUSION"] == 18
    lines = prepared.document.text.split("\n")
    assert not [line for line in lines if line.strip().isdigit()]
    assert "1. Increase in employee efficiency and productivity." in lines


def test_every_chunk_of_every_policy_is_a_slice(shared: Path) -> None:
    for file in sorted((shared / "policies").iterdir()):
        prepared = prepare(file.read_bytes(), source_name=file.name)
        assert prepared.chunks
        for chunk in prepared.chunks:
            assert prepared.document.text[chunk.char_start : chunk.char_end] == chunk.text
            assert len(chunk.text) <= 2400

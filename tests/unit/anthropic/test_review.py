"""What critic and judge are shown: all that is cited, and of the rest the best, nothing twice."""

import json
from typing import Any

from core.adapters.anthropic.dialogue.review import CITED, FINDINGS, PASSAGES, material
from core.domain.answer import Citation, Claim, Draft
from core.domain.evidence import Evidence, EvidenceItem
from tests.factories import make_place, make_question, make_span


def _item(number: int, start: int, text: str, kind: Any = "chunk") -> EvidenceItem:
    return EvidenceItem(
        key=f"c{number}",
        kind=kind,
        span=make_span(start, start + len(text)),
        text=text,
        place=make_place(),
        relevance=None,
    )


def _draft(*items: EvidenceItem) -> Draft:
    claims = [
        Claim(text="So.", citations=(Citation(key=one.key, span=one.span, quote=one.text),))
        for one in items
    ]
    return Draft(claims=tuple(claims))


def _shown(evidence: Evidence, draft: Draft) -> list[str]:
    block = material(make_question("May I?"), evidence, draft)[1]
    return [one["key"] for one in json.loads(str(block["text"]).split("\n")[1])]


def test_what_is_cited_comes_first_and_whole() -> None:
    """Wherever it stands among the evidence, and however much there is beside it."""
    items = [_item(number, 10_000 * number, "a" * 3_000) for number in range(12)]
    shown = _shown(Evidence(items=tuple(items)), _draft(items[11], items[9]))
    assert shown[:2] == ["c9", "c11"]
    assert shown[2:] == ["c0", "c1"]
    assert PASSAGES // 3_000 == 2


def test_a_finding_within_a_passage_that_is_shown_is_not_shown_again() -> None:
    """One that no passage holds is; so is one whose passage is left out."""
    within = _item(1, 105, "Cash is forbidden.", "finding")
    alone = _item(2, 9_000, "Gifts are not.", "finding")
    of_long = _item(3, 20_100, "Loans are.", "finding")
    passage = _item(4, 100, "1. Cash is forbidden. Always.")
    too_long = _item(5, 20_000, "b" * (PASSAGES + 1))
    evidence = Evidence(items=(within, alone, of_long, passage, too_long))
    assert _shown(evidence, _draft()) == ["c4", "c2", "c3"]
    assert _shown(evidence, _draft(within)) == ["c1", "c4", "c2", "c3"]


def test_each_kind_has_its_bound() -> None:
    """However much was found, two models do not read all of it."""
    findings = [_item(number, 1_000 * number, "f" * 900, "finding") for number in range(50)]
    chunks = [_item(100 + n, 100_000 * (n + 1), "c" * 1_500) for n in range(50)]
    evidence = Evidence(items=(*findings, *chunks))
    block = material(make_question("May I?"), evidence, _draft(*chunks))[1]
    cited = json.loads(str(block["text"]).split("\n")[1])
    assert sum(len(one["text"]) for one in cited) <= CITED + PASSAGES + FINDINGS
    rest = json.loads(
        str(material(make_question("?"), evidence, _draft())[1]["text"]).split("\n")[1]
    )
    assert sum(len(one["text"]) for one in rest) <= PASSAGES + FINDINGS

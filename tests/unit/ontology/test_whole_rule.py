"""A finding brings its whole rule: exceptions, conditions, and the items of its list."""

from core.domain.evidence import Context, Finding
from core.ontology.graphs.whole import WholeOntology
from core.ontology.whole_rule import MOST_CHARACTERS, MOST_SECTIONS, context_of
from tests.unit.ontology.snapshots import Source, snapshot_of, texts_of

_RULE = "Employees may accept gifts of up to EUR 35."


async def _context(text: str, *said: str) -> tuple[Context, ...]:
    """Return what comes with the facts of a policy that are stated in these words."""
    source = Source(key="gifts", title="Gifts Policy", text=text)
    snapshot = snapshot_of(source)
    findings = [
        Finding(
            entity=entity.key,
            span=span,
            text=snapshot.quotes[span],
            place=snapshot.places[span],
            lead_in=snapshot.lead_ins.get(span),
        )
        for words in said
        for entity in snapshot.entities
        for span in entity.spans
        if words in snapshot.quotes[span] and entity.key.split(":")[0] not in {"policy", "section"}
    ]
    assert findings, "the policy states none of it"
    return await context_of(findings, WholeOntology(snapshot, texts_of(source)))


def _said(found: tuple[Context, ...]) -> list[str]:
    return [one.text for one in found]


async def test_an_exception_comes_with_its_rule() -> None:
    """So that a confident ontology hides none; other sentences stay away."""
    text = (
        f"# Gifts\n\n## 1 Limits\n\nGifts are a courtesy. {_RULE}\n\n"
        "However, nothing may be accepted from public officials.\n\nThe register is public.\n\n"
        "## 2 Other\n\nUnless it rains, nothing happens here.\n"
    )
    assert _said(await _context(text, _RULE)) == [
        "However, nothing may be accepted from public officials."
    ]


async def test_what_lists_exceptions_is_said_with_each_of_them() -> None:
    """An item of a list of exceptions carries what introduces it."""
    text = f"# Gifts\n\n## 1 Limits\n\n{_RULE}\n\nThis does not apply to:\n\n- cash\n- vouchers\n"
    found = await _context(text, _RULE)
    assert _said(found) == ["- cash", "- vouchers"]
    assert all(one.lead_in and one.lead_in.text == "This does not apply to:" for one in found)


async def test_the_other_items_of_a_short_list_come_too() -> None:
    """Those of a long one do not, and neither do the rows of a table."""
    short = "# Gifts\n\n## 1 Cash\n\nEmployees must not:\n\n- accept cash;\n- accept loans.\n"
    assert _said(await _context(short, "accept cash")) == ["- accept loans."]
    long = short + "".join(f"- accept {'very ' * 30}odd thing number {n};\n" for n in range(9))
    assert _said(await _context(long, "accept cash")) == []
    table = "| Amount | Approver |\n|---|---|\n| Up to EUR 10 | CFO |\n| Up to EUR 90 | CEO |\n"
    rows = f"# Gifts\n\n## 1 Who\n\n{table}"
    assert _said(await _context(rows, "EUR 10")) == []


async def test_what_comes_with_findings_is_bounded() -> None:
    """The nearest exceptions of a section, and only those of the first sections."""
    many = "".join(f"Case {n} is exempt, {'really ' * 20}so.\n\n" for n in range(40))
    sections = "".join(
        f"## {n} Limits\n\nEmployees must keep record {n} safe.\n\n{many}" for n in range(1, 9)
    )
    found = await _context(f"# Gifts\n\n{sections}", *(f"record {n} safe" for n in range(1, 9)))
    by_section = {one.place.eid: 0 for one in found}
    for one in found:
        by_section[one.place.eid] += len(one.text)
    assert len(by_section) == MOST_SECTIONS
    assert all(0 < size <= MOST_CHARACTERS for size in by_section.values())
    assert found[0].text.startswith("Case 0 ")

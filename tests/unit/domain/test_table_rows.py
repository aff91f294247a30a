"""Table rows read under their header."""

from core.agent.stages.verify import verify
from core.domain.answer import Check, Citation, Claim, Draft
from core.domain.evidence import Evidence
from core.language.phrasing import read_row, rows_read
from tests.factories import make_item

HEADER = "Benefit | Limit in the UK"
ROW = "Gift, contractor | none allowed"


def test_each_cell_is_read_under_its_name() -> None:
    """A row says what its cells are; one that does not fit the header is read cell by cell."""
    assert read_row(HEADER, ROW) == "Gift, contractor \u2013 Limit in the UK: none allowed"
    assert read_row("City", ROW) == "Gift, contractor; none allowed"


def test_a_kind_of_thing_may_be_named_by_several_words() -> None:
    """ "Expense Amount Range" says no more than what stands below it."""
    said = read_row("Amount Range | Approver Level", "Above USD 500 | the CFO")
    assert said == "Above USD 500 \u2013 Approver Level: the CFO"


def test_rows_follow_their_header() -> None:
    """Two quotes make a row only if the one before is a header of as many cells."""
    assert rows_read([HEADER, ROW]) == [read_row(HEADER, ROW)]
    assert rows_read([ROW]) == []
    assert rows_read(["Employees must not accept cash.", ROW]) == []


def _failed(text: str) -> list[Check]:
    header, row = make_item(HEADER), make_item(ROW, key="c2", start=100)
    claim = Claim(
        text=text,
        citations=tuple(
            Citation(key=item.key, span=item.span, quote=item.text) for item in (header, row)
        ),
    )
    stored = {header.span: header.text, row.span: row.text}
    verified = verify(
        Draft(claims=(claim,)), Evidence(items=(header, row)), stored=stored, role_names=()
    )
    return [verdict.check for verdict in verified.verdicts if not verdict.passed]


def test_a_row_read_under_its_header_is_kept() -> None:
    """What a row says under its header passes verification; its opposite does not."""
    assert _failed(read_row(HEADER, ROW)) == []
    assert Check.MODALITY in _failed("Benefit: Gift, contractor; Limit in the UK: may be given")

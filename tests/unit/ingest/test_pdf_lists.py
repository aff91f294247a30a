"""Items of lists in PDFs are indented as deep as they stand on the page."""

from reportlab.pdfgen.canvas import Canvas

from core.ingest.prepare import Prepared
from core.language.lead_ins import section_units
from tests.unit.ingest.test_layouts import prose, put, read

NESTED = (
    (150, "Staff must keep:"),
    (160, "\u2022 Records of:"),
    (175, "\u2022 gifts"),
    (175, "\u2022 meals"),
    (160, "\u2022 Minutes"),
)


def lines_of(found: Prepared) -> list[str]:
    return [line for line in found.document.text.split("\n") if line.lstrip()[:1] == "\u2022"]


def test_bullets_further_right_stand_deeper() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 740, "Records", 16, bold=True)
        for place, (left, text) in enumerate(NESTED):
            put(canvas, left, 700 - 14 * place, text)

    found = read(draw)
    assert lines_of(found) == [
        "\u2022 Records of:",
        "  \u2022 gifts",
        "  \u2022 meals",
        "\u2022 Minutes",
    ]
    section, text = found.sections[-1], found.document.text
    introduced = {
        unit.span.of(text): [lead.of(text) for lead in unit.lead_ins]
        for unit in section_units(
            text,
            char_start=section.char_start,
            body_start=section.body_start,
            char_end=section.char_end,
        )
    }
    assert introduced["\u2022 meals"] == ["Staff must keep:", "\u2022 Records of:"]
    assert introduced["\u2022 Minutes"] == ["Staff must keep:"]


def test_a_list_in_another_column_and_one_after_a_paragraph_begin_anew() -> None:
    def draw(canvas: Canvas) -> None:
        for place in range(4):
            put(canvas, 50, 740 - 20 * place, f"\u2022 Left {place}")
            put(canvas, 320, 733 - 20 * place, f"\u2022 Right {place}")

    assert sorted(lines_of(read(draw))) == sorted(
        f"\u2022 {side} {place}" for side in ("Left", "Right") for place in range(4)
    )

    def apart(canvas: Canvas) -> None:
        put(canvas, 150, 740, "\u2022 First")
        prose(canvas, 700)
        put(canvas, 165, 600, "\u2022 Second")

    assert lines_of(read(apart)) == ["\u2022 First", "\u2022 Second"]

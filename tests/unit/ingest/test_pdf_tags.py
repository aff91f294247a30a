"""PDFs that say themselves what is a heading."""

from collections.abc import Sequence

import pytest

from core.ingest.prepare import Prepared, prepare
from tests.unit.ingest.test_layouts import PROSE, titles

TEXT = tuple(("P", line) for line in PROSE[:3])


def tagged(lines: Sequence[tuple[str, str]], *, root: str = "") -> bytes:
    """One page of lines in one size, each an element of a type of structure; "" has no tag."""
    drawn: list[str] = []
    for place, (kind, text) in enumerate(lines):
        shown = f"BT /F1 10 Tf 72 {780 - 14 * place} Td ({text}) Tj ET"
        drawn.append(f"/{kind} <</MCID {place}>> BDC {shown} EMC" if kind else shown)
    stream = "\n".join(drawn)
    marked = [(place, kind) for place, (kind, _) in enumerate(lines) if kind]
    kids = " ".join(f"{10 + place} 0 R" for place, _ in marked)
    parents = " ".join(
        f"{10 + place} 0 R" if kind else "null" for place, (kind, _) in enumerate(lines)
    )
    objects = {
        1: "<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R>>",
        2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/StructParents 0"
        "/Resources<</Font<</F1 4 0 R>>>>>>",
        4: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        5: f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        6: f"<</Type/StructTreeRoot/K 7 0 R/ParentTree 8 0 R{root}>>",
        7: f"<</Type/StructElem/S/Document/P 6 0 R/K[{kids}]>>",
        8: f"<</Nums[0 [{parents}]]>>",
    }
    for place, kind in marked:
        objects[10 + place] = f"<</Type/StructElem/S/{kind}/P 7 0 R/Pg 3 0 R/K {place}>>"
    written = b"%PDF-1.7\n"
    found: dict[int, int] = {}
    for number, content in objects.items():
        found[number] = len(written)
        written += f"{number} 0 obj\n{content}\nendobj\n".encode()
    size, start = max(objects) + 1, len(written)
    table = "".join(
        f"{found[number]:010} 00000 n \n" if number in found else "0000000000 65535 f \n"
        for number in range(size)
    )
    trailer = f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF"
    return written + f"xref\n0 {size}\n{table}{trailer}".encode()


def read(lines: Sequence[tuple[str, str]], *, root: str = "") -> Prepared:
    return prepare(tagged(lines, root=root), source_name="scan0815.pdf")


CODE = (
    ("H1", "Our code"),
    *TEXT,
    ("H2", "Gifts and meals"),
    ("H3", "Ask before you take one."),
    *TEXT,
    ("H2", "Partners"),
    *TEXT,
)


def test_headings_are_those_that_the_document_marks() -> None:
    found = read(CODE)
    assert [section.path for section in found.sections] == [
        ("Our code",),
        ("Our code", "Gifts and meals"),
        ("Our code", "Gifts and meals", "Ask before you take one."),
        ("Our code", "Partners"),
    ]


def test_names_that_a_document_gives_to_headings_are_mapped() -> None:
    named = [(kind.replace("H", "Rubrik"), text) for kind, text in CODE]
    found = read(named, root="/RoleMap<</Rubrik1/H1/Rubrik2/H2/Rubrik3/H3>>")
    assert titles(found) == titles(read(CODE))


@pytest.mark.parametrize(
    "lines",
    [
        tuple(("H1", line) for line in (*PROSE, *PROSE)),
        (("H1", "Our code"), *TEXT),
        (*(("", text) for _, text in CODE),),
    ],
    ids=["paragraphs", "few", "none"],
)
def test_tags_that_mark_paragraphs_or_hardly_anything_are_not_believed(
    lines: Sequence[tuple[str, str]],
) -> None:
    assert len(read(lines).sections) == 1


def test_tree_that_refers_to_itself_is_read() -> None:
    looped = tagged(CODE).replace(b"/S/Document/P 6 0 R/K[", b"/S/Document/P 6 0 R/K[7 0 R ", 1)
    assert "Gifts and meals" in prepare(looped, source_name="a.pdf").document.text

"""Where policies are opened, whose they are and how sensitive: as the answer was stored with it."""

import json
from dataclasses import replace

import pytest

from bot.replies.context import CLASSES, Library
from bot.replies.sources import sources
from core.agent.reply.answer_json import answer_json, answer_of
from core.domain.answer import Answer, Confidence, Outcome, ShownCitation
from core.domain.ontology import SectionRef
from core.domain.policy import AnswerSource
from core.language.spans import Span, VersionId

HOST = "policies.example.com"
HOSTS = frozenset({HOST})
HEADING = "#:~:text=3.2%20Gifts%20%26%20meals&text=3.2.%20Gifts%20%26%20meals"
NONE = Confidence(reported=None, calibrated=None, badge=None, is_calibrated=False)


def place(
    number: str | None = "3.2", title: str = "Gifts & meals", page: int | None = 4
) -> SectionRef:
    return SectionRef(
        policy_key="gifts",
        policy_title="Gifts Policy",
        version_label="2.0",
        jurisdiction=None,
        eid="sec_3__sec_3.2",
        number=number,
        title=title,
        page=page,
    )


def answer(
    *,
    url: str | None = None,
    file_name: str = "gifts.md",
    owner: str | None = None,
    verified_by: str | None = None,
    sensitivity: str | None = None,
) -> Answer:
    source = AnswerSource(
        policy_key="gifts",
        title="Gifts Policy",
        file_name=file_name,
        url=url,
        owner=owner,
        verified_by=verified_by,
        sensitivity=sensitivity,
    )
    cited = ShownCitation(
        number=1,
        key="c1",
        span=Span(version_id=VersionId(1), char_start=0, char_end=4),
        quote="Gift",
        place=place(),
        effective_from=None,
    )
    return Answer(
        outcome=Outcome.ANSWERED,
        text="Gift [1]",
        confidence=NONE,
        citations=(cited,),
        sources=(source,),
    )


def opened(url: str, file_name: str, where: SectionRef | None = None) -> str | None:
    library = Library(hosts=HOSTS).of(answer(url=url, file_name=file_name))
    return library.url(where or place())


@pytest.mark.parametrize(
    ("path", "file_name", "expected"),
    [
        ("/gifts.pdf", "gifts.pdf", "/gifts.pdf#page=4"),
        ("/doc/17", "gifts.pdf", "/doc/17#page=4"),
        ("/gifts.md", "gifts.md", "/gifts.md#32-gifts--meals"),
        ("/gifts", "gifts.md", f"/gifts{HEADING}"),
        ("/gifts.html?v=2", "gifts.html", f"/gifts.html?v=2{HEADING}"),
        ("/Gifts%20(it's%20v2).pdf", "gifts.pdf", "/Gifts%20%28it%27s%20v2%29.pdf#page=4"),
        ("/gifts.pdf", "gifts.docx", "/gifts.pdf#page=4"),
        ("/gifts", "gifts.docx", "/gifts"),
        ("/gifts#top", "gifts.html", "/gifts#top"),
    ],
)
def test_a_policy_opens_where_it_is_quoted(path: str, file_name: str, expected: str) -> None:
    """As far as what is opened there has anchors."""
    assert opened(f"https://{HOST}{path}", file_name) == f"https://{HOST}{expected}"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/gifts",
        "http://policies.example.com/gifts",
        "https://policies.example.com.evil.example/",
        "https://policies.example.com@evil.example/",
        "javascript:alert(1)",
        "https://policies.example.com:8443/gifts",
        "https://policies.example.com./gifts",
        "https://policies.example.com\\@evil.example/",
        "https:\\\\policies.example.com/gifts",
        "https://policies.example.com%2eevil.example/",
        "https://policies.exa\u043cple.com/",
        "https://policies.example.com\u3002evil.example/",
        "//policies.example.com/gifts",
        f"https://policies.example.com/{'a' * 3_000}",
    ],
)
def test_no_link_leads_elsewhere(url: str) -> None:
    """Whatever a document says of itself."""
    assert opened(url, "gifts.pdf") is None


def test_without_hosts_there_are_no_links() -> None:
    """The deployment names them."""
    assert Library().of(answer(url=f"https://{HOST}/gifts")).url(place()) is None


def test_hostile_headings_break_no_link() -> None:
    """They are encoded, or left out if they are long."""
    for title in (
        "](javascript:x)",
        '"><script>',
        "a-b, c&text=d",
        "é" * 100,
        "x" * 8_000,
        "\ud800",
    ):
        for name in ("gifts.md", "gifts.html"):
            for path in ("/g", "/g.md"):
                found = opened(f"https://{HOST}{path}", name, place(title=title))
                assert found is not None
                assert found.isascii()
                assert not set(found) & set('<>"() ')
                assert len(found) < 2_500


def test_the_most_sensitive_source_counts_and_an_unknown_class_above_all() -> None:
    """Names are compared without regard to capitals."""
    library = Library()
    ranks = [
        library.of(answer(sensitivity=name)).shelf(place()).sensitivity
        for name in (*CLASSES, "Red")
    ]
    assert [one.rank for one in ranks if one] == [0, 1, 2, 3, 4]
    told = library.of(answer(sensitivity=" internal ")).shelf(place()).sensitivity
    assert told is not None
    assert (told.name, told.rank) == ("Internal", 1)
    assert library.of(answer()).shelf(place()).sensitivity is None


def test_a_source_says_whose_it_is() -> None:
    """Title, version, section and page above; owner, verifier and class below."""
    given = answer(owner="Legal", verified_by="Audit", sensitivity="internal")
    (source,) = sources(given.citations, Library().of(given))
    assert source.title == f"{source.policy}, {source.section}"
    assert source.about == "owner Legal · verified by Audit · classified Internal"


@pytest.mark.parametrize(
    ("eid", "said"),
    [
        ("slide_gifts", "slide 4"),
        ("sheet_gifts", "row 4 of the sheet"),
        ("sec_3", "page 4"),
    ],
)
def test_a_page_is_called_what_it_is(eid: str, said: str) -> None:
    """A slide of a presentation, a row of a sheet."""
    given = answer()
    (cited,) = given.citations
    cited = replace(cited, place=replace(cited.place, eid=eid))
    (source,) = sources((cited,), Library())
    assert source.section.endswith(f", {said}")


def test_an_answer_keeps_what_was_known_of_its_sources() -> None:
    """And one that was stored by an earlier release has none."""
    given = answer(owner="Legal", url=f"https://{HOST}/g", sensitivity="Internal")
    stored = json.loads(json.dumps(answer_json(given)))
    assert answer_of(stored).sources == given.sources
    del stored["sources"]
    assert answer_of(stored).sources == ()

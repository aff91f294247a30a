"""Pages in Confluence's storage format, as the ingest reads them."""

import pytest

from core.adapters.sources.confluence.storage import LARGEST, page_of
from core.domain.errors import DocumentError
from core.ingest.load import load


def read(storage: str) -> str:
    return load(page_of(storage, title="Gifts"), source_name="Gifts.html").text


def test_what_people_wrote_is_read() -> None:
    """Headings, lists, merged cells, entities of HTML, dates and the text of links."""
    page = load(
        page_of(
            "<h1>Gifts &amp; more</h1><p>Up to&nbsp;EUR&thinsp;50 &ndash; from"
            ' <time datetime="2025-07-01" />, see <ac:link><ri:page ri:content-title="Travel" />'
            "<ac:plain-text-link-body><![CDATA[the <travel> policy]]></ac:plain-text-link-body>"
            '</ac:link> and <ac:link><ri:page ri:content-title="Expenses" /></ac:link>.</p>'
            '<ol start="3"><li>three</li></ol><h2>Limits</h2><table><tbody><tr><th rowspan="2">A'
            "</th><td>1</td></tr><tr><td>2</td></tr></tbody></table>",
            title="Gifts",
        ),
        source_name="Gifts.html",
    )
    assert page.text == (
        "Gifts & more\n\nUp to EUR 50 \u2013 from 2025-07-01, see the <travel> policy and Expenses."
        "\n\n3. three\n\nLimits\n\nA | 1\nA | 2"
    )
    assert [(one.level, one.span.of(page.text)) for one in page.headings] == [
        (1, "Gifts & more"),
        (2, "Limits"),
    ]


def macro(kind: str, within: str) -> str:
    """Return a macro."""
    return f'<ac:structured-macro ac:name="{kind}">{within}</ac:structured-macro>'


PANEL = "<ac:rich-text-body><p>Ask first.</p></ac:rich-text-body>"
TITLED = '<ac:parameter ac:name="title">IN FORCE</ac:parameter>'


@pytest.mark.parametrize(
    ("storage", "said"),
    [
        (macro("info", PANEL), "Ask first."),
        (
            macro("panel", f'<ac:parameter ac:name="title">Exceptions</ac:parameter>{PANEL}'),
            "Exceptions\n\nAsk first.",
        ),
        (
            macro(
                "expand", macro("note", PANEL).join(["<ac:rich-text-body>", "</ac:rich-text-body>"])
            ),
            "Ask first.",
        ),
        (
            macro("code", "<ac:plain-text-body><![CDATA[a < b\nc]]></ac:plain-text-body>"),
            "a < b\nc",
        ),
        (
            f"<p>Status: {macro('status', TITLED)}</p>",
            "Status: IN FORCE",
        ),
        (
            "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete"
            "</ac:task-status><ac:task-body>Register it.</ac:task-body></ac:task></ac:task-list>",
            "- Register it.",
        ),
        (
            "<ac:layout><ac:layout-section><ac:layout-cell><p>Left.</p></ac:layout-cell>"
            "<ac:layout-cell><p>Right.</p></ac:layout-cell></ac:layout-section></ac:layout>",
            "Left.\n\nRight.",
        ),
        (
            '<p>Before <ac:inline-comment-marker ac:ref="1">noon</ac:inline-comment-marker>.</p>',
            "Before noon.",
        ),
        (
            '<table><tbody><tr><td>Cash</td><td><ac:emoticon ac:name="cross" /></td></tr></tbody>'
            "</table>",
            "Cash | \u2717",
        ),
        (
            "<ac:adf-extension><ac:adf-node type='panel'><ac:adf-attribute key='panel-type'>note"
            "</ac:adf-attribute><ac:adf-content><p>Once.</p></ac:adf-content></ac:adf-node>"
            "<ac:adf-fallback><p>Once.</p></ac:adf-fallback></ac:adf-extension>",
            "Once.",
        ),
        (
            "<ac:adf-extension><ac:adf-fallback><p>Else.</p></ac:adf-fallback></ac:adf-extension>",
            "Else.",
        ),
        (
            "<ac:image><ri:attachment ri:filename='a.png' /><ac:caption>Who decides</ac:caption>"
            "</ac:image>",
            "Who decides",
        ),
    ],
)
def test_macros_give_what_stands_in_them(storage: str, said: str) -> None:
    """Panels, code, tasks, layouts, states: as a reader sees them, and each once."""
    assert read(f"<p>A.</p>{storage}") == f"A.\n\n{said}"


@pytest.mark.parametrize(
    "storage",
    [
        macro("toc", '<ac:parameter ac:name="title">Contents</ac:parameter>'),
        macro(
            "include",
            '<ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Board" /></ac:link>'
            "</ac:parameter>",
        ),
        macro("excerpt", f'<ac:parameter ac:name="hidden">true</ac:parameter>{PANEL}'),
        "<ac:placeholder>Write the limits here.</ac:placeholder>",
        '<p><ac:link><ri:user ri:account-id="1" /></ac:link></p>',
        '<p style="display: none">x</p>',
        "<script>x</script>",
        "<!-- x --><?x y?>",
    ],
)
def test_what_is_not_written_on_the_page_is_left_out(storage: str) -> None:
    """Contents of other pages, instructions of a template, hidden text, comments."""
    assert read(f"<p>A.</p>{storage}<p>B.</p>") == "A.\n\nB."


@pytest.mark.parametrize(
    "storage",
    [
        "<p>open",
        "</page><page>",
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><p>&b;</p>',
        "<p>" * 8000 + "</p>" * 8000,
        "x" * (LARGEST + 1),
    ],
)
def test_what_is_no_page_is_refused(storage: str) -> None:
    """Broken, hostile and huge ones: a line that says what to do."""
    with pytest.raises(DocumentError, match=r"split it|publish it again"):
        page_of(storage, title="Gifts")


def test_what_is_unknown_stays_text() -> None:
    """An element that is not known loses nothing, and no text becomes markup."""
    assert read("<ac:new-thing><p>&lt;b&gt; &unknown; ok</p></ac:new-thing>") == "<b> ok"
    page = page_of("<p>A.</p>", title="</title><script>x</script>")
    assert b"<script>" not in page

import json
import re

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from core.ontology.graphs.graph import build_graph, script_json, to_graphml, to_html
from tests.unit.ontology.snapshots import Source, snapshot_of

_EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&"
_GRAPH = build_graph(
    snapshot_of(
        Source(
            key="p",
            title=f"P {_EVIL}",
            text=f"# P {_EVIL}\n\nEmployees must not {_EVIL} accept cash \x0b now.\n",
        )
    )
)


def _data(page: str) -> str:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return match[1]


def test_the_page_holds_the_graph_and_nothing_else() -> None:
    """All entities and relations are there, and no address is."""
    page = to_html(_GRAPH, title="T")
    data = json.loads(_data(page))
    assert [node["key"] for node in data["nodes"]] == [e.key for e in _GRAPH.snapshot.entities]
    assert len(data["links"]) == len(_GRAPH.snapshot.relations)
    assert not re.search(
        r"https?://|\bsrc=[\"'h/]|\bhref=|@import|url\(", page.replace(_data(page), "")
    )


def test_text_of_documents_cannot_leave_its_place() -> None:
    """No markup of a document reaches the page as markup."""
    page = to_html(_GRAPH, title=_EVIL)
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "innerHTML" not in page
    assert "document.write" not in page


@given(st.text())
def test_script_json_is_json_without_markup(text: str) -> None:
    """What is written reads back, and has no character that ends a script."""
    written = script_json({"text": text})
    assert json.loads(written) == {"text": text}
    assert not set("<>&") & set(written)


def test_graphml_reads_back() -> None:
    """Nodes and edges survive, whatever characters a document has."""
    read = nx.parse_graphml(to_graphml(_GRAPH))
    assert read.number_of_nodes() == len(_GRAPH.snapshot.entities)
    assert read.number_of_edges() == len(_GRAPH.snapshot.relations)

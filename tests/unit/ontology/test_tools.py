import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.json_value import Json
from core.domain.ontology import EntityType, RelationType
from core.ontology.fact_words import normal_name
from core.ontology.graphs.graph import build_graph
from core.ontology.graphs.whole import WholeOntology
from core.ontology.tools.lookup import FOUND, NEAR_BEST
from core.ontology.tools.registry import Arguments, Parameter, Tool, is_statement
from core.ontology.tools.toolbox import REGISTRY, OntologyToolbox
from core.ports import Lookup, Toolbox
from tests.factories import make_place
from tests.unit.ontology.snapshots import Source, snapshot_of

_GIFTS = Source(
    key="gifts",
    title="Gifts Policy",
    text="""# Gifts Policy

## 1 Definitions

"Gift" means anything of value.

## 2 Limits

### 2.1 Employees

Employees may accept a gift of up to EUR 75 if the Compliance Officer (XCO) has approved it.

### 2.2 Contractors

Contractors must not accept any gift. Contractors must report offers within 5 days to the line
manager.
""",
)
_GIFTS_POLICY = snapshot_of(_GIFTS)
_GRAPH = build_graph(_GIFTS_POLICY)
_WHOLE = WholeOntology(_GIFTS_POLICY)


async def _call(tool: str, **arguments: Json) -> dict[str, Json]:
    return dict(await OntologyToolbox(_WHOLE, max_calls=5).call(tool, arguments))


def _names(result: dict[str, Json]) -> list[str]:
    entities = result.get("entities", [])
    assert isinstance(entities, list)
    return [str(entity["name"]) for entity in entities if isinstance(entity, dict)]


async def test_names_meet_in_any_number_and_case() -> None:
    """Case, articles, plurals and possessives do not tell names apart."""
    assert normal_name("The Compliance Officers") == normal_name("compliance officer")
    for name, type_, meant in (
        ("employee", None, "Employees"),
        ("gifts", EntityType.DEFINITION, "Gift"),
    ):
        found = await _WHOLE.listed(type_, name=name, limit=5)
        assert [entity.name for entity in found.part.entities] == [meant]


async def test_the_toolbox_keeps_its_port() -> None:
    """The toolbox is what the port asks for, with the tools in order."""
    toolbox: Toolbox = OntologyToolbox(_WHOLE, max_calls=1)
    assert toolbox.names == (
        "get_graph_summary",
        "list_entity_types",
        "find_entities",
        "search_entities",
        "get_entity",
        "get_neighbors",
        "find_paths",
        "resolve_definition",
        "compare",
        "summarize",
    )
    assert "evidence" in await toolbox.call("get_graph_summary", {})
    assert "no tool calls left" in str((await toolbox.call("get_graph_summary", {}))["error"])
    assert [call.tool for call in toolbox.calls] == ["get_graph_summary"]


async def _visits(rules: int) -> dict[str, Json]:
    """Search an ontology with so many rules on the topic, and one that shares a word with it."""
    said = "\n".join(f"Visitors must sign sheet number {one}." for one in range(rules))
    text = f"# Visits\n\n## 1 Sheets\n{said}\nGuards must sign the roster at dawn.\n"
    whole = WholeOntology(snapshot_of(Source(key="visits", title="Visits", text=text)))
    query = {"query": "visitors sign sheet number"}
    return dict(await OntologyToolbox(whole, max_calls=1).call("search_entities", query))


async def test_search_gives_ten_facts_at_most() -> None:
    """However many there are."""
    assert len(_names(await _visits(12))) == FOUND == 10


async def test_search_cuts_off_what_is_about_something_else() -> None:
    """What has less than half of the best one's share of the query, also where there is room."""
    found = await _visits(3)
    assert 3 <= len(_names(found)) < FOUND
    assert not any("roster" in name for name in _names(found))
    scores = found["scores"]
    assert isinstance(scores, dict)
    values = [value for value in scores.values() if isinstance(value, float)]
    assert min(values) >= NEAR_BEST * max(values)


@pytest.mark.parametrize("tool", ["get_graph_summary", "find_entities", "summarize"])
async def test_nothing_is_citable_that_states_nothing(tool: str) -> None:
    """Headings and bare numbers are no evidence of any tool."""
    arguments = {"find_entities": {"type": "Section"}, "summarize": {"policy": "gifts"}}
    result = await _call(tool, **arguments.get(tool, {}))
    evidence = result["evidence"]
    assert isinstance(evidence, list)
    texts = [str(one["text"]) for one in evidence if isinstance(one, dict)]
    assert not [text for text in texts if text.startswith("#") or len(text.split()) < 3]


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("9.1.", False),
        ("## 2.1 Employees", False),
        ("Employees", False),
        ("Employees must not smoke.", True),
        ("- vouchers;", True),
        ("Employees are paid.", True),
    ],
)
def test_a_heading_is_known_by_its_section(text: str, *, states: bool) -> None:
    """Word for word; a short rule that repeats it is none."""
    assert is_statement(text, make_place(number="2.1", title="Employees")) is states


async def test_another_source_registers_its_tools_beside_the_ontologys() -> None:
    """They are counted, checked and described like its own."""

    async def run(_: Lookup, arguments: Arguments) -> dict[str, Json]:
        return {"said": arguments["word"], "evidence": [], "stats": {}}

    toolbox = OntologyToolbox(_WHOLE, max_calls=2)
    word = Parameter(name="word", description="Any.", most=5)
    toolbox.register(
        [Tool(name="echo", capability="passages", description="-", parameters=(word,), run=run)]
    )
    assert toolbox.names[-1] == toolbox.definitions[-1]["name"] == "echo"
    assert (await toolbox.call("echo", {"word": "a"}))["said"] == "a"
    assert "longer than 5" in str((await toolbox.call("echo", {"word": "aaaaaa"}))["error"])
    assert "no tool calls left" in str((await toolbox.call("echo", {"word": "a"}))["error"])
    assert "echo" not in OntologyToolbox(_WHOLE, max_calls=1).names


async def test_search_finds_the_norm_with_its_quote() -> None:
    """Evidence is the stored text with its span, policy and section."""
    result = await _call("search_entities", query="employees accept gift value", type="Permission")
    evidence = result["evidence"]
    assert isinstance(evidence, list)
    first = evidence[0]
    assert isinstance(first, dict)
    assert str(first["text"]).startswith("Employees may accept")
    assert (first["policy"], first["section"]) == ("Gifts Policy", "2.1 Employees")
    start, end = first["char_start"], first["char_end"]
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert _GIFTS.text[start:end] == first["text"]


async def test_a_definition_is_resolved() -> None:
    """A term is found in any number; an unknown one says so."""
    assert _names(await _call("resolve_definition", term="gifts")) == ["Gift"]
    assert (await _call("resolve_definition", term="zeppelin"))["is_defined"] is False


async def test_neighbours_and_paths() -> None:
    """Relations are followed by kind, and chains found."""
    norm = next(e for e in _GRAPH.of_type(EntityType.OBLIGATION))
    told = await _call("get_neighbors", id=norm.key, direction="out", relation="reports_to")
    assert _names(told) == ["Line Manager"]
    paths = await _call(
        "find_paths", source="role:contractor", target="role:line-manager", max_hops=3
    )
    assert paths["paths"]
    kinds = {n.relation.type for n in _GRAPH.neighbours(norm.key, "out")}
    assert RelationType.HAS_DEADLINE in kinds


async def test_topics_are_compared() -> None:
    """Each topic has its own facts."""
    topics = (await _call("compare", topic_a="employees gift", topic_b="contractors gift"))[
        "topics"
    ]
    assert isinstance(topics, dict)
    both = {name: json.dumps(found) for name, found in topics.items()}
    assert "Employees may accept" in both["employees gift"]
    assert "Contractors must not" in both["contractors gift"]
    assert "Contractors must not" not in both["employees gift"]


async def test_a_section_is_summarized() -> None:
    """The facts of a section come in text order."""
    names = _names(await _call("summarize", policy="Gifts Policy", section="2.2"))
    assert names[0] == "Contractors must not accept any gift."
    assert all("Employees" not in name for name in names)


@pytest.mark.parametrize(
    ("tool", "arguments", "hint"),
    [
        ("fly", {}, "search_entities"),
        ("get_entity", {"id": "role:contractors"}, "role:contractor"),
        ("get_entity", {}, "missing argument 'id'"),
        ("get_entity", {"id": 7}, "non-empty string"),
        ("find_entities", {"type": "Cat"}, "Obligation"),
        ("find_entities", {}, "give a type"),
        ("get_neighbors", {"id": "role:contractor", "relation": "eats"}, "requires"),
        ("find_paths", {"source": "a", "target": "b", "max_hops": "3"}, "integer"),
        ("summarize", {"policy": "Zeppelin Policy"}, "Gifts Policy"),
        ("summarize", {"policy": "gifts", "section": "9"}, "2.1"),
        ("search_entities", {"query": "x", "colour": "red"}, "unknown argument"),
    ],
)
async def test_a_bad_argument_says_how_to_correct_it(
    tool: str, arguments: dict[str, Json], hint: str
) -> None:
    """An error names what would have been right, and has no evidence."""
    result = await _call(tool, **arguments)
    assert hint in str(result["error"])
    assert result["evidence"] == []


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)
_ARGUMENTS = st.dictionaries(
    st.sampled_from(
        [
            "id",
            "type",
            "name",
            "query",
            "term",
            "source",
            "target",
            "max_hops",
            "policy",
            "section",
            "topic_a",
            "topic_b",
            "direction",
            "relation",
            "x",
        ]
    ),
    _JSON | st.sampled_from(["Role", "role:contractor", "both", "requires", "gift", "2.1"]),
)


@given(st.sampled_from([*REGISTRY.names, "?"]), _ARGUMENTS)
async def test_a_tool_never_raises(tool: str, arguments: dict[str, Json]) -> None:
    """Whatever a model writes, the answer is bounded JSON with evidence and stats."""
    result = await _call(tool, **arguments)
    assert json.loads(json.dumps(result))["stats"] is not None
    evidence = result["evidence"]
    assert isinstance(evidence, list)
    assert len(evidence) <= 25


async def test_long_results_are_cut_and_counted() -> None:
    """At most 25 items are shown; the rest is counted."""
    rules = "\n\n".join(f"Employees must do thing number {n}." for n in range(40))
    whole = WholeOntology(snapshot_of(Source(key="p", title="P", text=f"# P\n\n{rules}\n")))
    result = await OntologyToolbox(whole, max_calls=1).call("find_entities", {"type": "Obligation"})
    entities, stats = result["entities"], result["stats"]
    assert isinstance(entities, list)
    assert isinstance(stats, dict)
    assert (len(entities), stats["truncated"]) == (25, 15)


def test_every_tool_is_described() -> None:
    """Names, descriptions and schemas are there for a model."""
    for definition in REGISTRY.definitions():
        assert len(str(definition["description"])) > 20
        assert isinstance(definition["input_schema"], dict)
    assert REGISTRY.capable_of("overview").names == ("get_graph_summary", "list_entity_types")


_EVENTS = """# Events Policy

## 9 Guests

9.1.

Guests at events

Guests must not:

- bring weapons to an event;
- film an event.

Is an event open to guests?

"""


async def _searched(
    query: str, *, rules: int = 20, type_: str = ""
) -> tuple[dict[str, Json], list[dict[str, Json]]]:
    near = "\n\n".join(f"Guests of event {n} must register." for n in range(rules))
    far = "\n\n".join(f"Suppliers must register {n} badges." for n in range(5))
    source = Source(key="events", title="Events Policy", text=f"{_EVENTS}{near}\n\n{far}\n")
    toolbox = OntologyToolbox(WholeOntology(snapshot_of(source)), max_calls=1)
    result = dict(await toolbox.call("search_entities", {"query": query, "type": type_}))
    evidence = result["evidence"]
    assert isinstance(evidence, list)
    return result, [one for one in evidence if isinstance(one, dict)]


async def test_a_search_gives_few_facts_and_none_far_below_the_best() -> None:
    """At most ten; what shares one common word with the query is left out."""
    result, _ = await _searched("guests register event")
    scores = result["scores"]
    assert isinstance(scores, dict)
    found = [score for score in scores.values() if isinstance(score, float)]
    assert len(found) == 10
    few, _ = await _searched("guests register event weapons", rules=3)
    assert any("Guests" in name for name in _names(few))
    assert not any("Suppliers" in name for name in _names(few))


async def test_evidence_is_what_states_something_behind_what_introduces_it() -> None:
    """No number, heading or printed question, and no lead-in alone."""
    _, evidence = await _searched("weapons film event guests")
    assert (await _searched("guests", type_="Section"))[1] == []
    told = {str(one["text"]): one.get("introduced_by") for one in evidence}
    assert told["- bring weapons to an event;"] == ["Guests must not:"]
    assert not told.keys() & {
        "9.1.",
        "Guests at events",
        "Guests must not:",
        "Is an event open to guests?",
        "## 9 Guests",
    }

from hypothesis import given
from hypothesis import strategies as st

from core.domain.evidence import RetrievedChunk
from core.domain.ontology import SectionRef
from core.domain.policy import ChunkKey
from core.language.spans import Span, VersionId
from evals.retrieval import pack


def _chunk(key: int, *, via: int | None = None) -> RetrievedChunk:
    return RetrievedChunk(
        chunk_key=ChunkKey(key),
        chunk_id=f"p_chunk_{key:04d}",
        span=Span(version_id=VersionId(1), char_start=0, char_end=1),
        text="x",
        place=SectionRef(
            policy_key="p",
            policy_title="P",
            version_label=None,
            jurisdiction=None,
            eid="sec_1",
            number="1",
            title="",
            page=None,
        ),
        lexical_score=0.5,
        dense_score=None,
        score=0.5,
        relevance=0.5,
        via=ChunkKey(via) if via is not None else None,
    )


def test_a_neighbour_stands_behind_its_hit() -> None:
    """Hits keep their order, and what a hit leads to follows it."""
    packed = pack([_chunk(1), _chunk(2)], [_chunk(3, via=2), _chunk(4, via=1)], most=9)
    assert [chunk.chunk_key for chunk in packed] == [1, 4, 2, 3]


def test_hits_come_before_neighbours_when_room_is_short() -> None:
    """A full pack drops neighbours, the last first."""
    packed = pack([_chunk(1), _chunk(2)], [_chunk(3, via=2), _chunk(4, via=1)], most=3)
    assert {chunk.chunk_key for chunk in packed} == {1, 2, 3}


@given(
    hits=st.lists(st.integers(1, 30), max_size=10),
    neighbours=st.lists(st.integers(1, 30), max_size=10),
    most=st.integers(0, 15),
)
def test_a_pack_is_bounded_and_holds_nothing_twice(
    hits: list[int], neighbours: list[int], most: int
) -> None:
    """At most `most` chunks, each once, hits in their order."""
    packed = pack(
        [_chunk(key) for key in hits], [_chunk(key, via=1) for key in neighbours], most=most
    )
    keys = [chunk.chunk_key for chunk in packed]
    assert len(keys) == len(set(keys)) <= most
    own = [chunk.chunk_key for chunk in packed if chunk.via is None]
    assert own == list(dict.fromkeys(hits))[: len(own)]

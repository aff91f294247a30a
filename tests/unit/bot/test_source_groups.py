"""Groups that a source names as readers, as the groups of the deployment's audiences."""

from bot.audience.source_groups import directory_of
from bot.audience_config import AudienceConfig
from core.sources.access import audience_of

F1, F2, B1 = "entra:f1", "entra:f2", "entra:b1"


def test_groups_of_a_source_are_what_they_were_said_to_be() -> None:
    """One that nobody named lets nobody read; everyone of the organisation is everyone."""
    named = {F1: "finance", "google:all@example.com": "everyone"}
    assert audience_of(None, named={}, directory={}) == {"everyone"}
    assert audience_of(frozenset(), named=named, directory={}) == frozenset()
    assert audience_of(frozenset({F1, B1}), named=named, directory={}) == {"finance"}
    everyone = frozenset({"google:all@example.com"})
    assert audience_of(everyone, named=named, directory={}) == {"everyone"}
    assert audience_of(frozenset({"finance", "everyone"}), named=named, directory={}) == frozenset()


def test_an_audience_reads_only_where_all_its_groups_may() -> None:
    """Else those of another group that counts as of it would read along."""
    directory = {
        "finance": frozenset({F1, F2}),
        "board": frozenset({B1}),
        "empty": frozenset[str](),
    }
    assert audience_of(frozenset({F1}), named={}, directory=directory) == frozenset()
    assert audience_of(frozenset({F1, F2}), named={}, directory=directory) == {"finance"}
    assert audience_of(frozenset({F1, B1}), named={}, directory=directory) == {"board"}


def test_people_whom_the_file_adds_are_not_those_of_the_source() -> None:
    """A group with members of its own in the file is left to an operator to name."""
    config = AudienceConfig(
        groups={"finance": frozenset({"anna"}), "legal": frozenset({"ben"})},
        directory={"finance": frozenset({"f1"}), "board": frozenset({"b1", "b2"})},
    )
    assert directory_of(config) == {"board": {"entra:b1", "entra:b2"}}

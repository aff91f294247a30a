"""Drafts by rules: kinds, difficulty, pairs, and what is left out."""

from collections.abc import Sequence
from datetime import date

from core.domain.ontology import Entity, EntityKey, EntityType, SectionRef, Snapshot
from core.domain.policy import PolicyMetadata, PolicyVersion
from core.domain.question_draft import QuestionDraft
from core.language.content_words import content_words
from core.language.spans import Span, VersionId
from evals.measuring.drafting.by_rules import Corpus, Wanted, drafts_by_rules
from evals.measuring.drafting.difficulty import difficulty_of, shared_words
from evals.measuring.drafting.near_topics import TOPICS, unanswered_topics

TODAY = date(2026, 1, 15)
GIFT = "Employees must not accept cash gifts from suppliers."
TRIP = "Suppliers must not give cash gifts during business trips."
FEE = "Employees must pay the visa fee."


def corpus(*stated: tuple[str, str], type_: EntityType = EntityType.OBLIGATION) -> Corpus:
    """Return policies, each with one sentence of its own."""
    entities: list[Entity] = []
    quotes: dict[Span, str] = {}
    places: dict[Span, SectionRef] = {}
    versions: dict[VersionId, PolicyVersion] = {}
    for number, (policy, sentence) in enumerate(stated, start=1):
        version = VersionId(number)
        span = Span(version_id=version, char_start=0, char_end=len(sentence))
        quotes[span] = sentence
        places[span] = SectionRef(
            policy_key=policy,
            policy_title=policy.title(),
            version_label="1",
            jurisdiction=None,
            eid="sec_1",
            number="1",
            title="Rules",
            page=None,
        )
        versions[version] = PolicyVersion(
            version_id=version,
            metadata=PolicyMetadata(key=policy, title=policy.title()),
            edition=1,
            source_name=f"{policy}.md",
        )
        entities.append(
            Entity(
                key=EntityKey(f"obligation:{number}"),
                type=type_,
                name=sentence,
                aliases=(),
                description=sentence,
                attributes={
                    "term": sentence.split('"')[1] if '"' in sentence else "",
                    "meaning": sentence,
                },
                spans=(span,),
            )
        )
    return Corpus(
        snapshot=Snapshot(
            edition=1, entities=tuple(entities), relations=(), quotes=quotes, places=places
        ),
        versions=versions,
        said=frozenset[str]().union(*(content_words(text) for _, text in stated)),
    )


def of_kind(drafts: Sequence[QuestionDraft], kind: str) -> list[QuestionDraft]:
    return [one for one in drafts if one.kind == kind]


def test_two_policies_are_joined_by_what_both_are_about() -> None:
    """Two rules of two policies that share a topic make one question with both passages."""
    found = drafts_by_rules(corpus(("gifts", GIFT), ("travel", TRIP), ("visa", FEE)), Wanted())
    (both,) = of_kind(found, "two_policies")
    assert {one.policy for one in both.passages} == {"gifts", "travel"}
    assert both.difficulty == "hard"
    assert ", and " in both.question
    alone = drafts_by_rules(corpus(("gifts", GIFT), ("gifts", TRIP)), Wanted())
    assert not of_kind(alone, "two_policies")


def test_evidence_is_removed_by_naming_its_section() -> None:
    """The question stays, what answers it is named, and no answer is right."""
    rules = [(f"p{n}", f"Employees must keep ledger number{n} safe.") for n in range(12)]
    found = drafts_by_rules(corpus(*rules), Wanted())
    removed = of_kind(found, "evidence_removed")
    assert len(removed) == 2
    for one in removed:
        assert one.expected == "refused"
        assert any(
            other.question == one.question and other.expected == "answered" for other in found
        )
        assert one.passages


def test_the_same_question_of_two_policies_is_not_asked() -> None:
    """Nobody could tell which is meant; of a term the policy is named."""
    found = drafts_by_rules(corpus(("a", FEE), ("b", FEE)), Wanted())
    assert not [one for one in found if one.passages]
    term = '"Visa" means a permission to enter a country.'
    terms = drafts_by_rules(corpus(("a", term), ("b", term), type_=EntityType.DEFINITION), Wanted())
    asked = {one.question for one in of_kind(terms, "definition")}
    assert all(" in the A?" in one or " in the B?" in one for one in asked)
    assert len(asked) == 2


def test_topics_near_by_are_asked_for_where_nothing_speaks_of_them() -> None:
    """A question about dogs is unanswerable until a policy names them."""
    silent = {
        one.question
        for one in of_kind(drafts_by_rules(corpus(("a", FEE)), Wanted()), "unanswerable")
    }
    assert len(silent) == 3
    assert silent < {question for question, _ in TOPICS}
    dogs = content_words("Dogs must be kept on a lead.")
    assert "May I bring my dog to the office?" not in set(unanswered_topics(dogs))


def test_what_is_wanted() -> None:
    """Kinds and policies are limited, and the order is that of the seed."""
    rules = [(f"p{n}", f"Employees must keep ledger number{n} safe.") for n in range(12)]
    whole = corpus(*rules)
    one = drafts_by_rules(whole, Wanted(kinds=frozenset({"norm"}), policies=frozenset({"p3"})))
    assert [each.passages[0].policy for each in one] == ["p3"]
    first, again, other = (
        [each.key for each in drafts_by_rules(whole, Wanted(seed=seed))] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert not drafts_by_rules(corpus(), Wanted(kinds=frozenset({"norm"})))


def test_difficulty_is_counted() -> None:
    """Shared words, a second passage, a condition, a figure to compare."""
    quote = "Employees must keep receipts for travel."

    def graded(question: str, *more: str, condition: bool = False, compares: bool = False) -> str:
        return difficulty_of(question, [quote, *more], is_conditional=condition, compares=compares)

    assert shared_words("Do I keep receipts?", [quote]) == 1
    assert shared_words("?", []) == 0
    assert graded("Do I keep receipts?") == "easy"
    assert graded("Do I keep receipts?", condition=True) == "medium"
    assert graded("Do I keep receipts?", condition=True, compares=True) == "hard"
    assert graded("Do I keep receipts?", "Another rule.") == "hard"
    assert graded("Do I keep taxi bills and receipts?") == "medium"
    assert graded("Which taxi bills count?") == "hard"

"""What people say of a closest passage is kept as labels: of each person the last word counts."""

from core.domain.answer import Outcome, RefusalKind
from core.domain.case_actions import Refusal
from core.domain.feedback import FeedbackKept, FeedbackRefused, Rating
from core.domain.officers import Account
from tests.casework import ADA, ASKER, OTHER, Office, fresh

QUESTION = "May I bring my own screen?"


async def unsure(bureau: Office) -> str:
    """Let the asker get a closest passage, and return its answer's id."""
    return await bureau.answered(QUESTION, Outcome.REFUSED, refusal=RefusalKind.NOT_SURE)


async def answers_it(
    bureau: Office, answer_id: str, who: Account, key: str = ""
) -> FeedbackKept | FeedbackRefused:
    """Press [This answers it]."""
    return await bureau.feedback.give(answer_id, who, key=key or fresh(), rating=Rating.POSITIVE)


async def labels(bureau: Office) -> list[tuple[object, ...]]:
    """Return of each press whether the asker pressed, what it says, and whether it counts."""
    rows = await bureau.life.rows(
        "SELECT is_asker, answers, counts FROM citebound.passage_labels ORDER BY at"
    )
    return [tuple(row.values()) for row in rows]


async def test_a_closest_passage_opens_no_case_by_itself(bureau: Office) -> None:
    """It waits for a press; until then there is no label either."""
    answer_id = await unsure(bureau)
    assert await bureau.desk.about(answer_id, ASKER) is None
    assert (await bureau.tags(), await labels(bureau)) == ([], [])


async def test_each_press_is_a_label_of_who_pressed(bureau: Office) -> None:
    """Delivered twice it is kept once; pressed twice it is known to be said before."""
    answer_id = await unsure(bureau)
    for _ in range(2):
        assert await answers_it(bureau, answer_id, ASKER, "one") in (
            FeedbackKept(is_new=True),
            FeedbackKept(is_new=False),
        )
    again = await answers_it(bureau, answer_id, ASKER)
    assert again == FeedbackKept(is_new=True, is_repeated=True)
    assert await answers_it(bureau, answer_id, OTHER) == FeedbackKept(is_new=True)
    assert await labels(bureau) == [
        (True, True, False),
        (True, True, True),
        (False, True, True),
    ]
    assert await bureau.tags("feedback:%") == ["feedback:given"] * 3


async def test_the_last_word_counts(bureau: Office) -> None:
    """Whoever takes it to Compliance says that it does not answer; a later press says it does."""
    answer_id = await unsure(bureau)
    await answers_it(bureau, answer_id, ASKER)
    await bureau.opened(answer_id)
    assert await labels(bureau) == [(True, True, False), (True, False, True)]
    assert await answers_it(bureau, answer_id, ASKER) == FeedbackKept(is_new=True, is_repeated=True)
    assert [one[-1] for one in await labels(bureau)] == [False, False, True]
    (case,) = await bureau.life.rows("SELECT state, opener FROM citebound.cases")
    assert case == {"state": "open", "opener": "asker"}


async def test_an_officers_doing_is_no_label(bureau: Office) -> None:
    """Neither that they take a question up, nor their answer; what is pressed then is refused."""
    answer_id = await unsure(bureau)
    done = await bureau.desk.open(answer_id, ADA, key=fresh())
    await bureau.deliver()
    assert await labels(bureau) == []
    case_id = done.case.case_id  # pyright: ignore[reportAttributeAccessIssue,reportUnknownMemberType,reportUnknownVariableType,reportOptionalMemberAccess]
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Yes.")  # pyright: ignore[reportUnknownArgumentType]
    assert await answers_it(bureau, answer_id, ASKER) == FeedbackRefused(why=Refusal.ANSWERED)
    assert await labels(bureau) == []


async def test_thumbs_under_answers_are_no_labels(bureau: Office) -> None:
    """They judge an answer: which passage of it they mean, nobody knows."""
    await answers_it(bureau, await bureau.answered(QUESTION), ASKER)
    refused = await bureau.answered(
        QUESTION, Outcome.REFUSED, refusal=RefusalKind.NOT_FOUND, thread="2"
    )
    await bureau.opened(refused)
    assert await labels(bureau) == []


async def test_a_label_says_what_it_is_about(bureau: Office) -> None:
    """Question, probability and the scores behind it, as they were."""
    await answers_it(bureau, await unsure(bureau), ASKER)
    (row,) = await bureau.life.rows("SELECT * FROM citebound.passage_labels")
    assert (row["question"], row["calibrated"]) == (QUESTION, 0.9)
    assert row["scores"] == {}

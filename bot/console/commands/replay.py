"""`citebound audit replay`: answer a recorded question again, and compare."""

import asyncio
import getpass
from dataclasses import asdict, dataclass, replace
from io import StringIO

from rich.console import Console, RenderableType
from rich.text import Text

from bot.console.open_service import open_service
from bot.console.views.render import answer_view
from bot.console.views.replay_view import replay_view, today_view
from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.recorded_questions import PostgresRecordedQuestions
from core.agent.reply.answer_json import answer_json, answer_of
from core.bootstrap import Service
from core.domain.answer import Answer
from core.domain.errors import UsageError
from core.domain.json_value import JsonObject
from core.replay.comparison import difference
from core.replay.recorded import RecordedQuestion, ReplayImpossibleError
from core.replay.replay import Replay
from core.replay.today import changes_between

IDENTICAL, DIFFERS, IMPOSSIBLE = 0, 1, 2
WIDTH = 100


def replay(*, record_id: str, is_today: bool, as_json: bool) -> int:
    """Replay a record: 0 if it is the same in every byte, 1 if not, 2 if it can't be replayed.

    With `is_today` the question is answered anew: 0, whatever comes of it.
    """
    return asyncio.run(_replay(open_terminal(), record_id, is_today=is_today, as_json=as_json))


async def _replay(terminal: Terminal, record_id: str, *, is_today: bool, as_json: bool) -> int:
    async with open_service(Service, terminal, keeps_calls=False) as service:
        officer = getpass.getuser()
        ledger = Ledger(clock=service.clock, ids=service.ids, unit=service.settings.unit)
        role = DatabaseRole.CONSOLE
        console = open_engine(service.settings, role, officer=officer, ledger=ledger)
        async with console as engine:
            recorded = PostgresRecordedQuestions(engine, ledger=ledger, officer=officer)
            question = await recorded.find(record_id)
            if question is None:
                raise UsageError(
                    f"there is no record {record_id!r} that answers a question;"
                    " `citebound audit list` shows the newest"
                )
            calls = await service.model_calls.all_of(question.question_id)
            question = replace(question, calls=calls)
            answer = _today if is_today else _then
            try:
                outcome = await answer(terminal, service, question)
            except ReplayImpossibleError as error:
                outcome = _Outcome(
                    code=IMPOSSIBLE,
                    says={"result": "impossible"},
                    told={"result": "impossible", "reason": str(error)},
                    lines=(Text(f"Impossible: {error}"),),
                )
            says = {"is_today": is_today, **outcome.says}
            await recorded.note_replay(question, says)
    if as_json:
        terminal.show_json(outcome.told)
    else:
        terminal.show(*outcome.lines)
    return outcome.code


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What came of a replay."""

    code: int
    """The exit code."""
    says: JsonObject
    """What is recorded of it."""
    told: JsonObject
    """What is printed as JSON."""
    lines: tuple[RenderableType, ...]
    """What is printed for people."""


async def _then(terminal: Terminal, service: Service, question: RecordedQuestion) -> _Outcome:
    with terminal.busy("Answering as it was answered then"):
        found = _with_reply(await service.replayer.replay(question))
    result = "identical" if found.difference is None else "differs"
    return _Outcome(
        code=IDENTICAL if found.difference is None else DIFFERS,
        says={"result": result, "stage": found.difference.stage if found.difference else None},
        told={
            "result": result,
            "record_id": question.record_id,
            "difference": asdict(found.difference) if found.difference else None,
            "moved_searches": found.moved_searches,
        },
        lines=tuple(replay_view(found)),
    )


async def _today(terminal: Terminal, service: Service, question: RecordedQuestion) -> _Outcome:
    asked = question.record.document["question"]
    with terminal.busy("Answering as of today"):
        run = await service.answering.rehearse(
            question.request(today=service.clock.today(asked["jurisdiction"])),
            history=question.history(),
        )
    changes = changes_between(question.answer, answer_json(run.answer))
    then = question.record.document["run"]["edition"]
    heading = f"record  {question.record_id}: edition {then}, today {run.edition}"
    return _Outcome(
        code=0,
        says={"result": "same" if changes.is_same else "other", "edition": run.edition},
        told={
            "record_id": question.record_id,
            "edition": run.edition,
            "is_same": changes.is_same,
            **asdict(changes),
        },
        lines=(Text(heading, style="dim"), *today_view(changes)),
    )


def _with_reply(found: Replay) -> Replay:
    """Compare the replies, too, as this release renders them."""
    if found.difference is not None or found.answer is None:
        return found
    then, now = _rendered(answer_of(found.question.answer)), _rendered(found.answer)
    return found if then == now else replace(found, difference=difference("reply", then, now))


def _rendered(answer: Answer) -> str:
    console = Console(file=StringIO(), width=WIDTH, no_color=True)
    with console.capture() as captured:
        console.print(*answer_view(answer), sep="\n")
    return captured.get()

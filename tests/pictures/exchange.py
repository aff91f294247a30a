"""One exchange in Slack from the question to the case, as the moving picture shows it.

The product answers (`recorded`); what it posted, updated and opened is kept as it was sent. Around
its blocks stands what Slack draws itself: the window, the composer, the status line, the pointer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tests.both_products import Both
from tests.pictures import slack
from tests.pictures.scenes import ANSWERED, ASKED_BACK, ASKER, HANDED_OVER, SAMPLES, ingest, running
from tests.servers.slack.journal import Entry
from tests.servers.slack.people import User
from tests.servers.slack.workspace import View
from tests.servers.teams.wire import Json

QUESTION = "May I accept a gift worth EUR 50?"
COUNTRY = "Germany"
NOTE = "A supplier wants to hand it over on Friday."
EARLIER = (("Ben", ANSWERED, 1), ("Clara", ASKED_BACK, 2), ("Dana", HANDED_OVER, 2))
"""What stands in the channel before: by whom, what, and how many replies."""
ROOM, DESK = "ask-compliance", "compliance"
STEPS = ("Question", "Question back", "Answer", "Evidence", "Ask Compliance")
"""What the line below the window says one after the other."""
MENTION = "<span class='mention'>@Citebound</span>"
ASIDE = (
    "Drawn from the product's own Block Kit blocks, on the sample policies of an invented company."
)
EVIDENCE, ESCALATE = "Show evidence", "Ask Compliance"
"""Buttons that are pressed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What the product sent, in order."""

    status: str
    """What stands after its name while it is at work."""
    asked_back: list[Json]
    """Blocks of the question back."""
    chosen: list[Json]
    """Blocks of the same message after the press."""
    answer: list[Json]
    evidence: Json
    """The modal."""
    form: Json
    """The modal of "Ask Compliance"."""
    sent: Json
    """The modal that confirms it."""
    case: list[Json]
    """Blocks of the card in the officers' channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Nothing moves."""

    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """Somebody types."""

    into: str
    """Id of the field."""
    text: str
    lead: str = ""
    """HTML that stands in the field already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """The pointer goes to a button and presses it."""

    button: str
    """Its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scroll:
    """A modal is scrolled to its end."""


Move = Hold | Type | Press | Scroll


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What is seen until something is sent or opened."""

    body: str
    """HTML of the window."""
    step: int
    """Of `STEPS`, from 0."""
    moves: tuple[Move, ...]


async def exchange(url: str, policies: Sequence[Path] = (SAMPLES,)) -> Exchange:
    """Have the exchange about these policies, over an empty database."""
    await ingest(url, policies)
    async with running(url, "slack") as run:
        return await recorded(run)


async def recorded(run: Both) -> Exchange:
    """Ask, answer the question back, look at the evidence and hand it over."""
    fake = run.slack
    anna = fake.workspace.user(ASKER.lower())
    room = fake.workspace.channel(ROOM, anna)
    said = await fake.people.mention(anna, room, QUESTION)
    await run.quiet()
    back = fake.checks.one_answer(said.message)
    asked_back = back.blocks
    country = next(one for one in slack.buttons(asked_back) if one["text"]["text"] == COUNTRY)
    await fake.presses.click(anna, back, country["action_id"])
    await run.quiet()
    chosen, answer = fake.checks.replies(said.message)
    await fake.presses.click(anna, answer, "evidence_open")
    evidence = await _opened(run, anna, lambda view: len(view.content["blocks"]) > 1)
    shown = evidence.content
    await fake.presses.close(anna, evidence)
    await fake.presses.click(anna, answer, "escalate_open")
    form = await _opened(run, anna, lambda view: "submit" in view.content)
    filled = form.content
    await fake.presses.submit(anna, form, {"note": {"value": NOTE}})
    await run.quiet()
    (card,) = [one for one in fake.checks.by_app() if one.text.startswith("Case ")]
    return Exchange(
        status=_status(fake.journal.of("assistant.threads.setStatus")),
        asked_back=asked_back,
        chosen=chosen.blocks,
        answer=answer.blocks,
        evidence=shown,
        form=filled,
        sent=fake.presses.views_of(anna)[-1].content,
        case=card.blocks,
    )


async def _opened(run: Both, user: User, is_ready: Callable[[View], bool]) -> View:
    views = run.slack.presses.views_of
    await run.slack.until(lambda: any(map(is_ready, views(user)[-1:])), timeout_s=30)
    return views(user)[-1]


def _status(calls: Sequence[Entry]) -> str:
    return next(str(call.args["status"]) for call in calls if call.args["status"])


def shots(sent: Exchange) -> Iterator[Shot]:
    """Yield the shots of the picture."""
    asked, answer = _asked(ASKER, QUESTION), _app(sent.answer)
    back, chosen = _app(sent.asked_back), _app(sent.chosen)
    busy = f"<p class='status'><b>Citebound</b> {escape(sent.status)}</p>"
    typing = Type(into="typed", text=QUESTION, lead=f"{MENTION} ")
    yield Shot(body=_room(), step=0, moves=(Hold(ms=700), typing, Hold(ms=500)))
    yield Shot(body=_thread(asked, below=busy), step=0, moves=(Hold(ms=1100),))
    yield Shot(body=_thread(asked, back), step=1, moves=(Hold(ms=1500), Press(button=COUNTRY)))
    yield Shot(body=_thread(asked, chosen, below=busy), step=1, moves=(Hold(ms=1000),))
    thread = _thread(asked, chosen, answer)
    yield Shot(body=thread, step=2, moves=(Hold(ms=3700), Press(button=EVIDENCE)))
    close = Press(button=sent.evidence["close"]["text"])
    read = (Hold(ms=3200), Scroll(), Hold(ms=1600))
    yield Shot(body=thread + slack.modal(sent.evidence), step=3, moves=(*read, close))
    yield Shot(body=thread, step=4, moves=(Hold(ms=300), Press(button=ESCALATE)))
    send = Press(button=sent.form["submit"]["text"])
    fill = (Hold(ms=700), Type(into="note", text=NOTE), Hold(ms=300))
    yield Shot(body=thread + slack.modal(sent.form), step=4, moves=(*fill, send))
    yield Shot(body=thread + slack.modal(sent.sent), step=4, moves=(Hold(ms=1700),))
    yield Shot(body=_desk(_app(sent.case)), step=4, moves=(Hold(ms=3700),))


def page(shot: Shot, *, fonts: str) -> str:
    """Return the HTML of a shot."""
    folder = Path(__file__).parent
    style = "".join((folder / name).read_text() for name in ("page.css", "exchange.css"))
    steps = "".join(
        f"<li class='{'now' if step == shot.step else ''}'>{name}</li>"
        for step, name in enumerate(STEPS)
    )
    return (
        f"<!doctype html><meta charset='utf-8'><style>{fonts}{style}</style><body>"
        f"<div id='picture' class='slack film'><div class='window'>{shot.body}</div>"
        f"<div class='foot'><ol>{steps}</ol><p>{ASIDE}</p></div>{_POINTER}</div></body>"
    )


def _window(title: str, about: str, inner: str, *, composer: str) -> str:
    """Return a conversation: its head, what was said, and the field below to write in."""
    field = f"<div class='composer'>{composer}{_SEND}</div>"
    head = f"<div class='head'><b>{title}</b><span>{about}</span></div>"
    return f"{head}<div class='said-here'>{inner}</div>{field}"


def _room() -> str:
    intro = f"<div class='intro'><h2># {ROOM}</h2><p>Questions about our policies</p></div>"
    earlier = "".join(_asked(name, text, replies=count) for name, text, count in EARLIER)
    empty = f"<span class='hint'>Message #{ROOM}</span><span id='in-typed'></span>"
    return _window(f"# {ROOM}", "", intro + earlier, composer=empty)


def _thread(*messages: str, below: str = "") -> str:
    hint = "<span class='hint'>Reply…</span>"
    return _window("Thread", f"# {ROOM}", "".join(messages) + below, composer=hint)


def _desk(card: str) -> str:
    hint = f"<span class='hint'>Message #{DESK}</span>"
    return _window(f"# {DESK}", "", card, composer=hint)


def _asked(name: str, text: str, *, replies: int = 0) -> str:
    count = f"{replies} repl{'y' if replies == 1 else 'ies'}"
    below = f"<p class='replies'><i>C</i>{count}</p>" if replies else ""
    return (
        f"<div class='line'><div class='avatar {name.lower()}'>{name[0]}</div><div class='said'>"
        f"<div class='who'>{name}<small>9:41 AM</small></div><p>{MENTION} {escape(text)}</p>{below}"
        "</div></div>"
    )


def _app(posted: Sequence[Json]) -> str:
    drawn = slack.blocks(posted, is_open=False)
    return (
        "<div class='line app'><div class='avatar'>C</div><div class='said'>"
        f"<div class='who'>Citebound<em>APP</em><small>9:41 AM</small></div>{drawn}</div></div>"
    )


_SEND = "<svg class='send' viewBox='0 0 20 20'><path d='M2 3l16 7-16 7 2-6 8-1-8-1z'/></svg>"
_POINTER = (
    "<svg id='pointer' viewBox='0 0 24 24'><path d='M5 2l14 12-7 .6 4 7-3 1.5-3.7-7.2L5 20z'"
    " fill='#111' stroke='#fff' stroke-width='1.6' stroke-linejoin='round'/></svg>"
)

"""`citebound demo`: the sample policies, one question of each kind, then the chat."""

import asyncio
import dataclasses
import shlex
import shutil
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.panel import Panel
from rich.text import Text

from bot.console.commands.ask import Conversation, put_question, show
from bot.console.commands.spaces import build_with_progress, built_lines
from bot.console.ingest.ingest_files import Failed, FileResult, ingest_with_progress, summary_line
from bot.console.open_service import open_service
from bot.console.options import AskOptions
from bot.console.views.terminal import Terminal, clean, open_terminal, safe
from core.adapters.system import UuidSource
from core.agent.request import Reply
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.delivery import REFERENCE
from core.domain.errors import ConfigError
from core.ingest.folder_listing import find_sources
from core.ingest.prepare import NOTHING_GIVEN
from core.retrieval.serving_embedder import NoEmbedder

SAMPLES = next(
    folder
    for folder in (
        Path(__file__).parents[1] / "samples",
        Path(__file__).parents[3] / "samples" / "policies",
    )
    if folder.is_dir()
)
"""In the package in a wheel (`setup.py` puts them there), at the top of a checkout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoQuestion:
    """One question of the demo."""

    kind: str
    """What it shows."""
    question: str
    """What is typed."""


QUESTIONS = (
    DemoQuestion(
        kind="answered from the ontology",
        question="How quickly does the authority have to be told about a data breach?",
    ),
    DemoQuestion(
        kind="answered from the text of a table",
        question="What's the hotel limit in London per night?",
    ),
    DemoQuestion(
        kind="needs two policies",
        question="What's the difference between the gift limits for employees in Germany"
        " and in the UK?",
    ),
    DemoQuestion(
        kind="depends on a fact",
        question="How much can I claim for meals on a trip?",
    ),
    DemoQuestion(
        kind="two policies contradict each other",
        question="How long do expense receipts have to be kept?",
    ),
    DemoQuestion(
        kind="not in the policies", question="Can the company donate to a political party?"
    ),
    DemoQuestion(kind="not about policies", question="What's the capital of Australia?"),
    DemoQuestion(
        kind="a sensitive report",
        question="I think my manager has been taking cash from one of the hauliers",
    ),
)


def demo(*, chats: bool) -> int:
    """Show the product on its samples."""
    if not SAMPLES.is_dir():
        raise ConfigError(
            f"the sample policies are not at {SAMPLES}: run the demo from a checkout of the source"
        )
    terminal, stack, settings = open_terminal(), AsyncExitStack(), _settings()
    with asyncio.Runner() as runner:
        try:
            service = runner.run(
                stack.enter_async_context(open_service(Service, terminal, settings))
            )
            first = runner.run(_show_all(terminal, service))
            _say_how_to_go_on(terminal, settings, first)
            if chats and terminal.is_interactive:
                Conversation(runner, service, terminal, AskOptions()).hold()
        finally:
            runner.run(stack.aclose())
    return 0


def _settings() -> Settings:
    """Keep the samples apart from a corpus of one's own."""
    settings = Settings.from_environment()
    if settings.database_url:
        return settings
    return dataclasses.replace(settings, home=settings.home.expanduser() / "demo")


async def _show_all(terminal: Terminal, service: Service) -> Reply:
    """Ingest the samples, ask every question, and return the first reply."""
    sources = find_sources([SAMPLES], given=NOTHING_GIVEN).sources
    await _embed_as_set_up(terminal, service)
    terminal.show(Text("Reading the sample policies", style="bold"))
    results: list[FileResult] = []
    await ingest_with_progress(terminal, service.ingestor, sources, results, with_chunks=True)
    terminal.show(summary_line(results))
    if any(isinstance(item.result, Failed) for item in results):
        raise ConfigError("the sample policies could not all be read: restore the folder samples")
    first, *_ = [await _show_one(terminal, service, shown) for shown in QUESTIONS]
    return first


async def _embed_as_set_up(terminal: Terminal, service: Service) -> None:
    """Switch the samples to the embedder that is set up, if they were embedded otherwise before."""
    configured = service.models.embedders.configured
    serving = await service.spaces.serving()
    if isinstance(configured, NoEmbedder) or serving is None:
        return
    if serving.identity != configured.space.identity:
        built = await build_with_progress(terminal, service.spaces, configured)
        terminal.show(*built_lines(built))


async def _show_one(terminal: Terminal, service: Service, shown: DemoQuestion) -> Reply:
    """Ask, and where Citebound asks back, choose the first option; return the first reply."""
    thread = UuidSource().new()
    reply = await _exchange(terminal, service, shown.question, kind=shown.kind, thread=thread)
    if reply.answer.options:
        chosen = f"1 ({reply.answer.options[0]})"
        kind = "the reply, by number"
        await _exchange(terminal, service, "1", kind=kind, thread=thread, shown_as=chosen)
    return reply


async def _exchange(
    terminal: Terminal,
    service: Service,
    message: str,
    *,
    kind: str,
    thread: str,
    shown_as: str | None = None,
) -> Reply:
    title = safe(kind, style="dim")
    box = Panel(safe(shown_as or message, style="bold"), title=title, title_align="left")
    terminal.show(Text(), box)
    reply = await put_question(terminal, service, AskOptions(), text=message, thread=thread)
    show(terminal, reply, AskOptions())
    return reply


def _say_how_to_go_on(terminal: Terminal, settings: Settings, first: Reply) -> None:
    command = _command()
    if not settings.database_url:
        command = f"CITEBOUND_HOME={shlex.quote(str(settings.home))} {command}"
    record = first.receipt.record_id[-REFERENCE:]
    words = ('ask "May I accept a gift?"', "chat", f"audit show {record}")
    terminal.show(
        Text(),
        Text("Go on with", style="bold"),
        *(_typed(f"{command} {each}") for each in words),
        Text("With policies of your own", style="bold"),
        _typed(f"{_command()} ingest PATH..."),
        Text(),
    )


def _typed(command: str) -> Text:
    """Return a command in one piece, however long, so that it can be copied."""
    return Text(f"  {clean(command)}", no_wrap=True, overflow="ignore")


def _command() -> str:
    """Return how the command is called from here."""
    if shutil.which("citebound"):
        return "citebound"
    script = Path(sys.executable).parent / "citebound"
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m bot"
    here = Path.cwd()
    return shlex.quote(str(script.relative_to(here) if script.is_relative_to(here) else script))

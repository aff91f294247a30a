"""Files are taken apart in a child process with limits: one that breaks it is refused alone."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from core.domain.errors import DocumentError
from core.domain.policy import Heading
from core.ingest.prepare import Content, prepare, read_content
from core.ingest.sandbox import SandboxedReader, SandboxLimits, checked_content, open_sandbox
from core.ingest.sandbox_process import ParserReply
from core.language.spans import TextSpan
from tests.children import watched

pytestmark = pytest.mark.slow

GOOD = b"# Gifts\n\n## 1 Cash\n\nStaff must not accept cash.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
SLOW = b"- a\n" * 1_000_000
"""Reading it takes most of a minute and a gigabyte, by nature: it is a million items."""
_STARTED_S = 1.0
"""Processor time after which a child has started, and is reading."""


@pytest.fixture
async def reader() -> AsyncIterator[SandboxedReader]:
    async with open_sandbox(
        SandboxLimits(processor_s=1, processor_s_a_mb=0, wait_ratio=60)
    ) as opened:
        yield opened


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if is_reader(child)]


def is_reader(process: psutil.Process) -> bool:
    try:
        return "core.ingest.sandbox_process" in process.cmdline()
    except psutil.NoSuchProcess:  # or a zombie, which is one
        return False


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # of another process
            await asyncio.sleep(0.02)


async def test_what_comes_back_is_what_was_read(reader: SandboxedReader) -> None:
    """Nothing is lost between the processes; one child serves for many files."""
    for name in ("gifts-v2.md", "dir/gifts.txt", "gifts.html"):
        assert await reader.prepare(GOOD, source_name=name) == prepare(GOOD, source_name=name)
        assert len(children()) == 1
    without = await reader.prepare(GOOD, source_name="gifts.md", with_chunks=False)
    assert without.chunks == ()


async def test_a_file_that_is_refused_says_why(reader: SandboxedReader) -> None:
    """The cause and the cure come from the loader, in one line."""
    with pytest.raises(DocumentError, match="the PDF is corrupt: export it again"):
        await reader.prepare(b"%PDF-1.7 nonsense", source_name="x.pdf")


async def test_a_file_that_takes_too_long_is_refused_alone(reader: SandboxedReader) -> None:
    """The kernel ends the child; the next file gets another."""
    with pytest.raises(DocumentError, match="more than 1 s of processor time: split it"):
        await reader.prepare(SLOW, source_name="slow.md")
    assert (await reader.prepare(GOOD, source_name="gifts.md")).chunks


async def test_processor_time_is_counted_file_by_file() -> None:
    """Many files may take more together than one may alone."""
    some = b"- a\n" * 15_000
    async with open_sandbox(
        SandboxLimits(processor_s=2, processor_s_a_mb=0, wait_ratio=60)
    ) as reader:
        used = 0.0
        while used < 3:
            await reader.prepare(some, source_name="x.md")
            (child,) = children()
            used = child.cpu_times().user


async def test_a_file_that_takes_too_much_memory_is_refused_alone() -> None:
    """The address space of the child is limited, not that of the program."""
    limits = SandboxLimits(
        memory_bytes=200 * 1024 * 1024, processor_s=10, processor_s_a_mb=0, wait_ratio=60
    )
    async with open_sandbox(limits) as reader:
        with pytest.raises(DocumentError, match="more than 200 MB: split it"):
            await reader.prepare(SLOW, source_name="large.md")
        assert (await reader.prepare(GOOD, source_name="gifts.md")).chunks


async def test_a_child_that_hangs_is_not_waited_for_for_ever() -> None:
    """Waiting takes no processor time, so that is limited too."""
    async with open_sandbox(
        SandboxLimits(processor_s=2, processor_s_a_mb=0, wait_ratio=6)
    ) as reader:
        await reader.prepare(GOOD, source_name="gifts.md")
        (child,) = children()
        child.suspend()
        with pytest.raises(DocumentError, match="more than 12 s: split it"):
            await reader.prepare(GOOD, source_name="gifts.md")
        assert not child.is_running()
        assert (await reader.prepare(GOOD, source_name="gifts.md")).chunks


@pytest.mark.parametrize(
    ("number", "cause"),
    [
        (signal.SIGKILL, "was killed, perhaps for lack of memory"),
        (signal.SIGSEGV, "ended in a crash (SIGSEGV)"),
    ],
)
async def test_a_child_that_dies_costs_one_file(number: signal.Signals, cause: str) -> None:
    """A parser that crashes, or a kernel short of memory, ends one file's reading."""
    async with open_sandbox() as reader, asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(refusal_of(reader, SLOW))
        await until(children)
        await until(lambda: children()[0].cpu_times().user > _STARTED_S)
        children()[0].send_signal(number)
        assert cause in await reading
        assert (await reader.prepare(GOOD, source_name="gifts.md")).chunks


async def refusal_of(reader: SandboxedReader, data: bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        await reader.prepare(data, source_name="x.md")
    return str(caught.value)


async def test_a_child_that_died_between_two_files_costs_none(reader: SandboxedReader) -> None:
    """It is replaced."""
    await reader.prepare(GOOD, source_name="gifts.md")
    children()[0].kill()
    await until(lambda: not children())
    await asyncio.sleep(0.2)
    assert (await reader.prepare(GOOD, source_name="gifts.md")).chunks


async def test_a_child_that_grew_large_is_replaced() -> None:
    """What it freed may be too scattered for the next file."""
    limits = SandboxLimits(memory_bytes=240 * 1024 * 1024)
    async with open_sandbox(limits) as reader:
        await reader.prepare(GOOD, source_name="gifts.md")
        assert len(children()) == 1
        await reader.prepare(b"# A\n\nb.\n\n" * 30_000, source_name="large.md")
        assert not children()


async def test_two_files_at_once_are_read_one_after_the_other(reader: SandboxedReader) -> None:
    """Neither gets the other's text."""
    other = GOOD.replace(b"Gifts", b"Tips")
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(reader.prepare(GOOD, source_name="x.md"))
        second = tasks.create_task(reader.prepare(other, source_name="x.md"))
    assert (first.result().metadata.title, second.result().metadata.title) == ("Gifts", "Tips")
    assert len(children()) == 1


async def test_being_cancelled_leaves_no_child(reader: SandboxedReader) -> None:
    """Neither while a file is read nor after; the reader is still of use."""
    async with asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(reader.prepare(SLOW, source_name="slow.md"))
        await until(children)
        reading.cancel()
    assert not children()
    assert (await reader.prepare(GOOD, source_name="gifts.md")).chunks


async def test_the_child_is_given_no_environment(
    reader: SandboxedReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys and the database's address are not for a process that opens strangers' files."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    await reader.prepare(GOOD, source_name="gifts.md")
    (child,) = children()
    assert set(child.environ()) <= {"PYTHONPATH", "LC_CTYPE"}


PARENT = f"""
import asyncio
from core.ingest.sandbox import open_sandbox

async def main():
    async with open_sandbox() as reader:
        await reader.prepare({SLOW[:4]!r} * 1_000_000, source_name="slow.md")

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_parent_that_is_killed_takes_the_child_along(number: signal.Signals) -> None:
    """Also amid a file, and when nothing of the parent could run any more."""
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    with watched(
        subprocess.Popen(  # noqa: ASYNC220, S603  # our own words
            [sys.executable, "-c", PARENT], env=environment, stderr=subprocess.DEVNULL
        )
    ) as process:
        parent = psutil.Process(process.pid)
        await until(parent.children)
        (child,) = parent.children()
        await until(lambda: child.cpu_times().user > _STARTED_S)
        process.send_signal(number)
        await asyncio.to_thread(process.wait, timeout=30)
    await until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def content() -> Content:
    return read_content(GOOD, source_name="gifts.md", with_chunks=True)


def test_an_honest_reply_is_taken() -> None:
    """The law: a span's text is its slice."""
    assert checked_content(ParserReply(content=content())) == content()


def lies() -> list[Content]:
    """What a child that is no longer ours might say."""
    told = content()
    document, chunk = told.document, told.chunks[0]
    beyond = Heading(level=1, span=TextSpan(char_start=5, char_end=10_000))
    return [
        replace(told, chunks=(replace(chunk, text="Staff may accept cash."),)),
        replace(told, chunks=(replace(chunk, section_ordinal=99),)),
        replace(told, sections=told.sections[:-1]),
        replace(told, sections=(told.sections[0], *told.sections)),
        replace(told, document=replace(document, text=document.text[:-1])),
        replace(told, document=replace(document, headings=(beyond,))),
    ]


@pytest.mark.parametrize("lie", lies())
def test_a_reply_whose_offsets_are_not_those_of_its_text_is_refused(lie: Content) -> None:
    """A citation would quote what does not stand there."""
    with pytest.raises(DocumentError, match="offsets beyond its text"):
        checked_content(ParserReply(content=lie))


def test_an_unexpected_error_is_one_line_without_text_of_the_file() -> None:
    """It names the place, so that it can be reported."""
    with pytest.raises(DocumentError, match=r"unexpectedly \(KeyError in docx.py, line 7\)"):
        checked_content(ParserReply(failed="KeyError in docx.py, line 7"))


def test_the_program_that_reads_is_the_one_that_asks() -> None:
    """The child finds the same modules, wherever the program was started from."""
    assert Path(__file__).parents[3] / "core" in Path(prepare.__code__.co_filename).parents

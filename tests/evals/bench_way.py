"""How many files a message visits until its answer is posted.

    python -m tests.evals.bench_way [--list]

Asks one question at the terminal and, by mention, one in Slack, on the sample policies. A file
counts once a function of it is called; what merely runs when a module is imported does not. The
fewer there are, the fewer a reader has to open. `--list` names them.
"""

import asyncio
import inspect
import io
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import FrameType

from bot.cli import run
from tests.evals.platform_bench import QUESTIONS, postgres, publish
from tests.servers.slack import fake_slack
from tests.slack_product import product

ROOT = Path(__file__).parents[2]
OURS = tuple(f"{ROOT / part}/" for part in ("bot", "core"))


@contextmanager
def visited() -> Generator[set[str]]:
    """Collect the files of the product in which a function is called, in any thread."""
    files: set[str] = set()

    def look(frame: FrameType, _event: str, _arg: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED and code.co_name != "<lambda>"
        if is_function and code.co_filename.startswith(OURS):
            files.add(str(Path(code.co_filename).relative_to(ROOT)))

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def at_the_terminal(url: str) -> set[str]:
    """Ask at the terminal, from the words of the command line to the printed answer."""
    os.environ["DATABASE_URL"] = url  # noqa: TID251  # what the command reads
    with visited() as files, redirect_stdout(io.StringIO()):
        code = run(["ask", QUESTIONS[0]])
    if code:
        raise SystemExit(f"bench_way: `citebound ask` ended with {code}")
    return files


async def in_slack(url: str) -> set[str]:
    """Ask by a mention, from Slack's request to the posted answer; the process is warm."""
    async with fake_slack(speed=600) as slack, product(slack, url) as serving:
        anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
        room = slack.workspace.channel("general", anna, ben)
        with visited() as files:
            said = await slack.people.mention(anna, room, QUESTIONS[0])
            await serving.answer_to(said.message)
    return files


def main() -> None:
    """Print the numbers, and the files if they are wanted."""
    with postgres() as url:
        asyncio.run(publish(url))
        found = {"a question at the terminal": at_the_terminal(url)}
        found["a mention in Slack"] = asyncio.run(in_slack(url))
    for what, files in found.items():
        print(f"{what:28}{len(files)} files")
        if "--list" in sys.argv:
            print(*sorted(files), sep="\n")


if __name__ == "__main__":
    main()

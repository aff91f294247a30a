"""How well the structure of Markdown files comes back from PDFs that a browser makes of them.

    python -m tests.evals.pdf_round_trip FOLDER... [--files N] [--untagged] [--list]

Prints each Markdown file of a folder in several designs and reads it as a PDF. Of each design it
says how many headings were found, how many of what was found are headings, how many stand below the
right one, how many policies have their title, and how many words were lost. Needs Debian's
chromium; with `--untagged` the PDFs do not say themselves what is a heading.
"""

import argparse
import asyncio
import difflib
import html
import itertools
import re
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.ingest.prepare import Prepared, prepare
from tests.servers.browser import NAMES, Page, browser

_FRONT_MATTER = re.compile(r"\A---\s*\n.*?\n(?:---|\.\.\.)\s*\n", re.DOTALL)
_MARKUP = re.compile(
    r"<!--.*?-->|</?[A-Za-z][^<>]*>|!\[[^\]]*\]\([^)]*\)|^\{%.*%\}$|^:::.*$", re.MULTILINE
)
_WORD = re.compile(r"\w+")
_SHARED = "pre{white-space:pre-wrap} td,th{border:1px solid;vertical-align:top} a{color:inherit}"
_FOOT = "@bottom-right{content:counter(page);font-size:8pt}"
DESIGNS = {
    "word": """@page{margin:25mm;@top-right{content:'Policies';font-size:8pt}%s}
        body{font:11pt sans-serif} h1{font-size:26pt} h2{font-size:16pt;color:#2f5496}
        h3{font-size:13pt;color:#2f5496} h4{font-size:11pt;font-style:italic}""",
    "one size": """@page{margin:25mm;%s} body{font:11pt serif} h1{font-size:16pt;text-align:center}
        h2,h3,h4{font-size:11pt} h3{font-style:italic} h4{font-weight:normal;font-style:italic}""",
    "capitals": """@page{margin:25mm;%s} body{font:12pt serif;text-align:justify}
        h1{font-size:14pt} h2{font:12pt serif;text-align:center;text-transform:uppercase}
        h3{font:bold 12pt serif} h4{font:italic 12pt serif}""",
    "two columns": """@page{margin:20mm 16mm;@top-left{content:'Our company';font-size:8pt}%s}
        body{font:9.5pt/1.4 sans-serif} main{columns:2} h1{column-span:all;font-size:40pt}
        h2{font-size:20pt;color:#06c} h3{font-size:13pt;color:#390} h4{font-size:9.5pt}""",
    "bars": """@page{margin:15mm 0;%s} *{print-color-adjust:exact}
        body{font:10pt/1.4 sans-serif;margin:0}
        p,ul,ol,table,pre,h3,h4{margin-left:18mm;margin-right:18mm}
        h1{background:#512;color:#fff;font-size:34pt;padding:40mm 18mm}
        h2{background:#a23;color:#fff;font-size:15pt;padding:3mm 18mm}
        h3{font-size:12pt;color:#a23} h4{font-size:10pt;text-transform:uppercase;color:#512}""",
    "letters apart": """@page{margin:24mm 30mm;%s} body{font:11.5pt/1.4 serif}
        h1,h2{font-weight:normal;text-transform:uppercase} h1{font-size:24pt;letter-spacing:.3em}
        h2{font-size:14pt;letter-spacing:.2em} h3{font:italic 13pt serif}
        h4{font:bold 11.5pt serif}""",
    "beside": """@page{margin:22mm 18mm;%s} body{font:9.5pt/1.45 sans-serif;padding-left:52mm}
        h1{font-size:28pt;margin-left:-52mm} h3{font-size:10.5pt} h4{font:italic 9.5pt sans-serif}
        h2{float:left;clear:both;width:45mm;margin:0 0 0 -52mm;font-size:13pt;color:#347}""",
}
"""Style sheets; each has a place for the foot of its pages. Deeper headings look like level 4."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a Markdown file says of itself."""

    title: str
    headings: tuple[tuple[str, str], ...]
    """Each heading below the title, and the heading above it."""
    bold: frozenset[str]
    """Paragraphs in bold, which may be meant as headings: neither right nor wrong."""
    words: Counter[str]
    page: str
    """As HTML."""


@dataclass(slots=True)
class Score:
    """Counts of one design."""

    files: int = 0
    headings: int = 0
    found: int = 0
    extra: int = 0
    below: int = 0
    titles: int = 0
    words: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list[str])

    def line(self) -> str:
        """Return them as shares."""
        return (
            f"{self.files:3} files {self.headings:4} headings:"
            f" found {_share(self.found, self.headings)}"
            f"  right of found {_share(self.found, self.found + self.extra)}"
            f"  below the right one {_share(self.below, self.found)}  titles {self.titles}"
            f"  words lost {_share(self.lost, self.words)}"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):5.1f} %"


def key(text: str) -> str:
    """Return the letters and digits of a text, for comparing headings."""
    return "".join(filter(str.isalnum, text.casefold()))


def known(path: Path) -> Known | None:
    """Read a Markdown file; None: it has hardly any heading, or no title."""
    source = _MARKUP.sub("", _FRONT_MATTER.sub("", path.read_text("utf-8", errors="replace")))
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("code")
    tokens = parser.parse(source)
    levels: list[tuple[int, str]] = []
    words: Counter[str] = Counter()
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open":
            levels.append((int(token.tag[1]), _text(inline.children)))
    for token in tokens:
        words.update(_WORD.findall(_text(token.children) or token.content.casefold()))
    if len(levels) < 4 or levels[0][0] >= min(level for level, _ in levels[1:]):
        return None
    above: list[tuple[int, str]] = []
    headings: list[tuple[str, str]] = []
    for level, text in levels:
        while above and above[-1][0] >= level:
            above.pop()
        headings.append((key(text), key(above[-1][1]) if above else ""))
        above.append((level, text))
    bold = frozenset(
        key(token.content)
        for token in tokens
        if token.type == "inline" and token.content.startswith("**")
    )
    return Known(levels[0][1], tuple(headings[1:]), bold, words, parser.render(source))


def _text(children: Sequence[Token] | None) -> str:
    return "".join(
        " " if piece.type.endswith("break") else piece.content
        for piece in children or ()
        if piece.type in {"text", "code_inline", "softbreak", "hardbreak"}
    ).casefold()


async def printed(page: Page, document: Known, design: str, *, tagged: bool) -> bytes:
    """Return the PDF that a browser prints of a document."""
    style = html.escape(DESIGNS[design] % _FOOT, quote=False) + _SHARED
    return await page.print(
        f"<style>{style}</style><body><main>{document.page}</main></body>", tagged=tagged
    )


def judge(score: Score, document: Known, read: Prepared) -> None:
    """Compare what was read with what is known."""
    title = key(document.title)
    sections = [
        (
            key(f"{section.number or ''}{section.title}"),
            key(section.path[-2]) if len(section.path) > 1 else "",
        )
        for section in read.sections
        if section.eid != "preamble"
    ]
    wanted = [heading for heading, _ in document.headings]
    matcher = difflib.SequenceMatcher(None, wanted, [name for name, _ in sections], autojunk=False)
    pairs = [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    right = sum(
        1
        for at, place in pairs
        if sections[place][1]
        in ({title, ""} if document.headings[at][1] == title else {document.headings[at][1]})
    )
    matched = {place for _, place in pairs}
    others = [
        name
        for place, (name, _) in enumerate(sections)
        if place not in matched and name != title and name not in document.bold
    ]
    score.files += 1
    score.headings += len(wanted)
    score.found += len(pairs)
    score.extra += len(others)
    score.below += right
    score.titles += key(read.metadata.title) == title
    score.words += document.words.total()
    score.lost += (document.words - Counter(_WORD.findall(read.document.text.casefold()))).total()
    missed = set(range(len(wanted))) - {at for at, _ in pairs}
    score.wrong += [f"missed {wanted[at]}" for at in sorted(missed)] + [
        f"extra {name}" for name in others
    ]


async def measure(documents: Sequence[Known], *, tagged: bool, shows: bool) -> None:
    """Print the shares of each design."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None or not documents:
        sys.exit("needs chromium, and a folder of Markdown files with headings")
    async with browser(program) as page:
        for design in DESIGNS:
            score = Score()
            for document in documents:
                data = await printed(page, document, design, tagged=tagged)
                judge(score, document, prepare(data, source_name="scan0815.pdf"))
            print(f"{design:14}{score.line()}", flush=True)
            for line in score.wrong if shows else ():
                print(f"    {line}")


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--files", type=int, default=20, help="so many of the folder for a design")
    parser.add_argument("--untagged", action="store_true", help="print PDFs without tags")
    parser.add_argument("--list", action="store_true", help="name what is missed and what is extra")
    given = parser.parse_args()
    paths = sorted(path for folder in given.folder for path in folder.rglob("*.md"))
    every = [found for path in paths if (found := known(path))]
    documents = every[:: max(1, len(every) // given.files)][: given.files]
    asyncio.run(measure(documents, tagged=not given.untagged, shows=given.list))


if __name__ == "__main__":
    main()

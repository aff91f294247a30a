"""Open question sets as groups: general reading comprehension, and headings that are questions.

Each is read from a clone of its repository; `data-manifest.md` has licences and commits.
"""

import csv
import io
import json
import random
import re
import subprocess
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from core.language.reader_text import reader_text
from evals.training.groups import GroupTable
from evals.training.policies import clean, listed, shown
from evals.training.written import packed_words

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(\[])")
HANDBOOKS = (
    ("18F/handbook", r"^pages/.*\.md$"),
    ("CivicActions/guidebook", r"\.md$"),
    ("sourcegraph/handbook", r"^content/(?!departments/(engineering|marketing)).*\.md$"),
    ("department-of-veterans-affairs/vagov-content", r"\.md$"),
    ("18F/guides", r"\.md$"),
    ("cloud-gov/cg-site", r"\.md$"),
    ("GSA/digitalgov.gov", r"^content/.*\.md$"),
    ("github/site-policy", r"\.md$"),
)
HANDBOOK_WORDS = 180


def squad(table: GroupTable, mirror: Path) -> None:
    """Add SQuAD 1.1 (CC BY-SA 4.0), as split by sentence for question generation (MIT)."""
    for part in ("dev", "test"):
        sides = (
            shown(mirror, "xinyadu/nqg", f"data/processed/{side}-{part}.txt").decode()
            for side in ("src", "tgt")
        )
        sentences, asked = ([_untokenised(line) for line in side.splitlines()] for side in sides)
        order = list(dict.fromkeys(sentences))
        places = {text: number for number, text in enumerate(order)}
        for sentence, question in zip(sentences, asked, strict=True):
            at = places[sentence]
            near = order[max(0, at - 14) : at] + order[at + 1 : at + 15]
            table.add(question, [sentence], near, source="squad", split=1, grain="s")


def _untokenised(line: str) -> str:
    for word, by in (("-lrb-", "("), ("-rrb-", ")"), ("``", '"'), ("''", '"')):
        line = line.replace(word, by)
    line = re.sub(r"\s+([.,;:?!%)])", r"\1", line)
    return re.sub(r"([(])\s+", r"\1", line).replace(" 's", "'s").strip()


def selqa(table: GroupTable, mirror: Path) -> None:
    """Add SelQA, the selection of sentences that answer (Apache-2.0)."""
    for part in ("dev", "test"):
        for item in json.loads(shown(mirror, "emorynlp/selqa", f"ass/selqa-ass-{part}.json")):
            right = set(item["answers"])
            texts = [
                reader_text(item["article"], [item["section"]], text) for text in item["candidates"]
            ]
            table.add(
                item["question"],
                [text for number, text in enumerate(texts) if number in right],
                [text for number, text in enumerate(texts) if number not in right],
                source="selqa",
                split=1,
                grain="s",
            )


def qed(table: GroupTable, mirror: Path) -> None:
    """Add QED (CC BY-SA 3.0): questions of Natural Questions with the sentence that answers."""
    data = shown(mirror, "google-research-datasets/QED", "qed-dev.jsonlines")
    for item in map(json.loads, data.decode().splitlines()):
        if item["annotation"].get("explanation_type") != "single_sentence":
            continue
        text, title = item["paragraph_text"], item["title_text"]
        starts = [*item["sentence_starts"], len(text)]
        answers = item["annotation"]["selected_sentence"]["start"]
        sides: dict[bool, list[str]] = {True: [], False: []}
        for start, end in pairwise(starts):
            sides[start == answers].append(reader_text(title, [], text[start:end]))
        table.add(
            item["question_text"], sides[True], sides[False], source="qed", split=1, grain="s"
        )


def boolq(table: GroupTable, mirror: Path) -> None:
    """Add BoolQ dev (CC BY-SA 3.0): yes/no questions with the passage that answers."""
    data = shown(mirror, "Alex-Norden/QA_BoolQ", "boolq/dev.jsonl").decode()
    items = [json.loads(line) for line in data.splitlines()]
    texts = [
        reader_text(item["title"], [], " ".join(item["passage"].split()[:190])) for item in items
    ]
    chooser = random.Random(3)
    for item, text in zip(items, texts, strict=True):
        others = chooser.sample(texts, 60)
        table.add(item["question"] + "?", [text], others, source="boolq", split=1, grain="p")


def covid_qa(table: GroupTable, mirror: Path) -> None:
    """Add COVID-QA (Apache-2.0): questions of experts on articles, with spans that answer."""
    path = "data/question-answering/200423_covidQA.json"
    for article in json.loads(shown(mirror, "deepset-ai/COVID-QA", path))["data"]:
        for paragraph in article["paragraphs"]:
            _covid_paragraph(table, paragraph)


def _covid_paragraph(table: GroupTable, paragraph: dict[str, Any]) -> None:
    text, at = paragraph["context"], 0
    cut: list[tuple[int, int, str]] = []
    for sentence in filter(None, map(str.strip, _SENTENCE_END.split(text))):
        at = text.index(sentence, at)
        cut.append((at, at + len(sentence), sentence))
    packed = packed_words([sentence for *_, sentence in cut])
    for asked in paragraph["qas"]:
        spans = [(a["answer_start"], a["answer_start"] + len(a["text"])) for a in asked["answers"]]
        hit = {
            number
            for number, (start, end, _) in enumerate(cut)
            if any(start < last and end > first for first, last in spans)
        }
        if not 0 < len(hit) <= 4:
            continue
        near = [
            sentence
            for number, (*_, sentence) in enumerate(cut)
            if number not in hit and abs(number - min(hit)) < 80
        ]
        right = [cut[number][2] for number in sorted(hit)]
        table.add(asked["question"], right, near, source="covidqa", split=1, grain="s")
        sides: dict[bool, list[str]] = {True: [], False: []}
        for members in packed:
            sides[bool(hit & set(members))].append(" ".join(cut[n][2] for n in members))
        table.add(
            asked["question"], sides[True], sides[False], source="covidqa", split=1, grain="p"
        )


def fairytale(table: GroupTable, mirror: Path, *, most: int = 4_000) -> None:
    """Add FairytaleQA (Apache-2.0): questions of educators on sections of stories, some of them."""
    repository = "uci-soe/FairytaleQAData"
    before = len(table.groups)
    for path in listed(mirror, repository, r"data-by-train-split/questions/.*\.csv$"):
        story = path.replace("/questions/", "/section-stories/")
        try:
            rows = _csv(mirror, repository, story.replace("-questions.csv", "-story.csv"))
        except subprocess.CalledProcessError:
            continue  # a story without sections
        texts = {row["section"]: " ".join(row["text"].split()[:180]) for row in rows}
        for row in _csv(mirror, repository, path):
            right = row["cor_section"].strip()
            others = [text for section, text in texts.items() if section != right]
            if right in texts:
                table.add(
                    row["question"], [texts[right]], others, source="fairytale", split=1, grain="p"
                )
    added = table.groups[before:]
    table.groups[before:] = random.Random(2).sample(added, min(most, len(added)))


def _csv(mirror: Path, repository: str, path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(shown(mirror, repository, path).decode())))


def sharc(table: GroupTable, mirror: Path) -> None:
    """Add ShARC dev (CC BY-SA 3.0): questions about rules, some with a rule that is irrelevant."""
    path = "data/sharc1-official/json/sharc_dev.json"
    items = json.loads(shown(mirror, "UKPLab/emnlp2024-code-prompting", path))
    plain = [" ".join(i["snippet"].replace("#", "").replace("*", "-").split()) for i in items]
    snippets, chooser = sorted(set(plain)), random.Random(5)
    for (question, text), item in {
        (item["question"], text): item for item, text in zip(items, plain, strict=True)
    }.items():
        others = chooser.sample(snippets, min(40, len(snippets)))
        if item["answer"] == "Irrelevant":
            wrong = [text, *others[:8]]
            table.add(question, [], wrong, source="sharc-none", split=1, grain="p")
        else:
            table.add(question, [text], others, source="sharc", split=1, grain="p")


def headings(table: GroupTable, mirror: Path) -> None:
    """Add headings of public handbooks that are questions (CC0, CC BY 4.0, Apache-2.0)."""
    for repository, pattern in HANDBOOKS:
        for path in listed(mirror, repository, pattern):
            raw = shown(mirror, repository, path).decode("utf-8", "replace")
            if re.search(r"^#{2,5} .*\?\s*$", raw, re.MULTILINE):
                _headings(table, raw, Path(path))


def _headings(table: GroupTable, raw: str, path: Path) -> None:
    named = re.search(r"^title:\s*[\"']?(.*?)[\"']?\s*$", raw, re.MULTILINE)
    title = named[1] if named else path.stem.replace("-", " ").replace("_", " ")
    sections: defaultdict[str, list[str]] = defaultdict(list)
    heading: str | None = None
    for line in clean(raw).splitlines():
        if marked := re.match(r"^#{1,5}\s+(.*?)\s*#*\s*$", line):
            heading = marked[1]
        elif heading is not None:
            sections[heading] += line.replace("|", " ").split()
    texts = {
        heading: reader_text(title, [], " ".join(words[:HANDBOOK_WORDS]))
        for heading, words in sections.items()
        if len(words) > 7
    }
    for heading, text in texts.items():
        if heading.endswith("?") and 3 < len(heading.split()) < 25:
            others = [other for other in texts.values() if other != text]
            question = re.sub(r"^[\d.\s]*", "", heading)
            table.add(question, [text], others, source="faq", split=2, grain="p")


SOURCES = (squad, selqa, qed, boolq, covid_qa, fairytale, sharc, headings)

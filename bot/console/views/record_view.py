"""A record as an officer reads it at the terminal. Pure: values in, renderables out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from bot.console.views.terminal import Row, one_line, safe
from core.agent.wording import ON_SAMPLES, UNCALIBRATED
from core.domain.audit import RecordLine, RecordView
from core.domain.codec import json_of
from core.domain.delivery import REFERENCE
from core.domain.json_value import Json
from core.domain.ontology import page_name

_OUTCOME_STYLES = {
    "answered": "green",
    "clarification": "cyan",
    "refused": "yellow",
    "failed": "red",
}
_DETAIL = 160
"""Characters of a step's detail at most; `--json` has all."""


def record_view(record: RecordView) -> Iterator[RenderableType]:
    """Return what to print for one record."""
    style = _OUTCOME_STYLES.get(record.outcome, "default")
    yield _pair("record", record.record_id)
    yield _pair("at", f"{record.at:%Y-%m-%d %H:%M:%S %Z}")
    yield _pair("outcome", record.outcome, style=style)
    yield from _integrity(record)
    if not record.closes_a_question:
        return
    yield Text()
    yield Text("Question", style="bold")
    yield _indented(safe("(erased)" if record.question is None else record.question))
    yield Text("Answer", style="bold")
    if record.answer is None:
        yield _indented(Text("(erased)"))
        return
    yield _indented(safe(_text(record.answer, "answer")))
    yield from _notes(record.answer)
    yield from _claims(record.answer)
    yield from _sources(record.answer)
    yield from _confidence(record.answer)
    if record.trace is not None:
        yield from _steps(record.trace)
        yield from _model_calls(record.trace)


def records_list(lines: Sequence[RecordLine]) -> Iterator[Row]:
    """Return a row a record: its reference, the question, when and how it ended."""
    for line in lines:
        question = "(erased)" if line.question is None else one_line(line.question)
        outcome = f"{line.outcome}, {line.badge}" if line.badge else line.outcome
        style = _OUTCOME_STYLES.get(line.outcome, "default")
        ended = Text(f"{line.at:%Y-%m-%d %H:%M %Z}, ", style="dim")
        ended.append(one_line(outcome), style=f"not dim {style}")
        yield Row(heads=(Text(line.record_id[-REFERENCE:]),), lines=(Text(question), ended))


def record_json(record: RecordView) -> dict[str, object]:
    """Return a record as JSON."""
    return json_of(
        record,
        "record_id at outcome question answer trace document leaf_hash restriction is_intact"
        " problems",
    )


def _integrity(record: RecordView) -> Iterator[Text]:
    yield _pair("leaf hash", record.leaf_hash)
    if record.restriction:
        yield _pair("withheld", record.restriction)
    if record.is_intact:
        yield _pair(
            "check", "intact: bytes, texts and quotes have the recorded hashes", style="green"
        )
    for problem in record.problems:
        yield _pair("check", problem, style="bold red")


def _claims(answer: Mapping[str, Json]) -> Iterator[RenderableType]:
    claims, citations = _items(answer, "claims"), _items(answer, "citations")
    by_number = {citation.get("n"): citation for citation in citations}
    for number, claim in enumerate(claims, start=1):
        yield Text()
        yield Text(f"Claim {number}", style="bold")
        yield _indented(safe(_text(claim, "text")))
        if claim.get("rendering"):
            yield _indented(safe(f"shown in translation: {_text(claim, 'rendering')}", style="dim"))
        for cited in cast("list[Any]", claim.get("citations") or []):
            citation = by_number.get(cited)
            if citation is not None:
                yield _indented(_citation(citation), by=4)


def _citation(citation: Mapping[str, Any]) -> Text:
    label = f" {citation['version']}" if citation.get("version") else ""
    section = " ".join(
        str(part) for part in (citation.get("section"), citation.get("section_title")) if part
    )
    places = (section, page_name(_text(citation, "eid"), citation.get("page")))
    place = ", ".join(part for part in places if part)
    span = f"characters {citation.get('char_start')}-{citation.get('char_end')}"
    where = one_line(f"[{citation.get('n')}] {_text(citation, 'title')}{label}, {place}, {span}")
    return Text(where, style="cyan").append_text(
        safe(f"\n“{_text(citation, 'quote')}”", style="italic default")
    )


def _notes(answer: Mapping[str, Json]) -> Iterator[RenderableType]:
    for note in cast("list[Any]", answer.get("notes") or []):
        yield _indented(safe(f"Note: {note}", style="dim"))


def _sources(answer: Mapping[str, Json]) -> Iterator[RenderableType]:
    """Say what was known of each policy beside its text, as the asker was shown it."""
    known = _items(answer, "sources")
    if not known:
        return
    yield Text()
    yield Text("Policies, as they were then", style="bold")
    for source in known:
        about = [
            f"{said} {source[field]}"
            for field, said in (
                ("owner", "owner"),
                ("verified_by", "verified by"),
                ("sensitivity", "classified"),
                ("review_by", "review by"),
                ("url", "at"),
            )
            if source.get(field)
        ]
        name = f"{_text(source, 'title')} ({_text(source, 'policy')})"
        yield _indented(Text(one_line(f"{name}: {' · '.join(about) or 'nothing besides'}")))


def _confidence(answer: Mapping[str, Json]) -> Iterator[Text]:
    confidence = answer.get("confidence")
    if not isinstance(confidence, Mapping) or confidence.get("calibrated") is None:
        return
    on = (ON_SAMPLES if confidence.get("is_on_samples") else UNCALIBRATED).en
    state = "calibrated" if confidence.get("is_calibrated") else on
    yield Text()
    yield _pair("confidence", f"{confidence['calibrated']}, badge {confidence['badge']}, {state}")


def _steps(trace: Mapping[str, Json]) -> Iterator[RenderableType]:
    steps = _items(trace, "steps")
    if not steps:
        return
    yield Text()
    yield Text("Steps", style="bold")
    for step in steps:
        detail = json.dumps(step.get("detail"), ensure_ascii=False)
        took = step.get("took_ms")
        timing = f"{took:.1f} ms" if isinstance(took, (int, float)) else ""
        heads = Text(f"  {one_line(str(step.get('stage'))):<9}{timing:>10} ", style="dim")
        yield Row(heads=(heads,), lines=(Text(one_line(detail, limit=_DETAIL)),))


def _model_calls(trace: Mapping[str, Json]) -> Iterator[RenderableType]:
    calls = _items(trace, "model_calls")
    if not calls:
        return
    yield Text()
    yield Text("Calls of language models", style="bold")
    for call in calls:
        tokens = cast("Mapping[str, int]", call.get("tokens") or {})
        cost = call.get("cost_usd")
        paid = "price not known" if cost is None else f"USD {cost:.4f}"
        heads = Text(f"  {one_line(_text(call, 'purpose')):<9}", style="dim")
        words = (
            f"{_text(call, 'model')}, prompt {_text(call, 'prompt')},"
            f" {sum(tokens.values()) - tokens.get('output', 0)} tokens read,"
            f" {tokens.get('output', 0)} written, {paid}, request {_text(call, 'request_hash')}"
        )
        yield Row(heads=(heads,), lines=(Text(one_line(words, limit=2 * _DETAIL)),))


def _items(holder: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found: object = holder.get(key)
    items = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]


def _text(holder: Mapping[str, Any], key: str) -> str:
    return str(holder.get(key) or "")


def _pair(label: str, words: str, *, style: str = "default") -> Text:
    return Text(f"{label:<11}", style="dim").append(one_line(words), style=f"not dim {style}")


def _indented(content: Text, *, by: int = 2) -> Padding:
    return Padding(content, (0, 0, 0, by), expand=False)

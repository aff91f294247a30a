import asyncio
import hashlib
import os
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from bot.console.model_checks import check_guard, check_reader
from bot.doctor_check import Status
from core.adapters.local import onnx_model, reader
from core.adapters.local.onnx_model import TOKENIZER_FILE, Loaded, Unavailable
from core.adapters.local.reader import (
    GUARD,
    GUARD_SHA256,
    PAIRS_A_TURN,
    SHIPPED,
    SHIPPED_SHA256,
    LocalReader,
    find_local_guard,
    find_local_reader,
)
from core.config.settings import Settings
from core.domain.errors import ConfigError, ContractError
from core.models import NoReader, find_reader
from tests.unit.retrieval.tiny_model import QUESTION, SPECIAL, TEXT, write_tiny_model

GIFTS = "Anti-Corruption > Gifts: Employees may accept gifts worth at most EUR 50 a year."
FLIGHTS = "Travel > Flights: Flights of less than six hours are booked in economy class."
ASKED = "What may a present cost that I take from a supplier?"


@pytest.fixture(scope="module")
def shipped() -> LocalReader:
    """The reader that is shipped; its tokenizer comes with the development environment."""
    found = find_local_reader(None)
    assert isinstance(found, LocalReader)
    return found


@pytest.fixture
def tiny(tmp_path: Path) -> LocalReader:
    """A reader whose logit is the sum of its token ids."""
    found = find_local_reader(write_tiny_model(tmp_path / "tiny"))
    assert isinstance(found, LocalReader)
    return found


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that a model has read, in order."""
    texts: list[str] = []
    true = reader.read_pairs

    def counting(asked: str, turn: Sequence[str], model: Loaded) -> list[float]:
        texts.extend(turn)
        return true(asked, turn, model)

    monkeypatch.setattr(reader, "read_pairs", counting)
    return texts


@pytest.mark.parametrize(
    ("weights", "sha256", "card"),
    [(SHIPPED, SHIPPED_SHA256, "MODEL_CARD.md"), (GUARD, GUARD_SHA256, "GUARD_CARD.md")],
)
def test_the_weights_are_those_of_the_card(weights: Path, sha256: str, card: str) -> None:
    """The file, the code and the card name one hash."""
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == sha256
    assert sha256 in weights.with_name(card).read_text()


async def test_the_guard_tells_opposites_apart() -> None:
    """What a text says from its opposite, in other words than the text's."""
    guard = find_local_guard()
    assert isinstance(guard, LocalReader)
    text = "Employees must not accept cash from suppliers, whatever the amount."
    said = await guard.scores("You may never take money from a supplier.", [text])
    denied = await guard.scores("You may take money from a supplier if it is little.", [text])
    assert said[0] > denied[0]


async def test_weights_are_loaded_once_in_a_process(tmp_path: Path) -> None:
    """Two readers of one file share them; another file in its place is loaded anew."""
    folder = write_tiny_model(tmp_path / "tiny")
    onnx_model.load_once.cache_clear()
    for _ in range(2):
        found = find_local_reader(folder)
        assert isinstance(found, LocalReader)
        await found.scores("May I?", ["No."])
    assert onnx_model.load_once.cache_info().misses == 1
    weights = folder / "model.onnx"
    os.utime(weights, ns=(1, 1))
    again = find_local_reader(folder)
    assert isinstance(again, LocalReader)
    await again.scores("May I?", ["No."])
    assert onnx_model.load_once.cache_info().misses == 2


AVX512 = "avx512f avx512bw avx512dq avx512vl"


@pytest.mark.parametrize(
    ("flags", "is_exact"),
    [
        (f"{AVX512} avx512_vnni", True),
        ("avx2 avx_vnni", True),
        (f"{AVX512} avx_vnni", False),
        ("avx512f avx512_vnni", False),
        (AVX512, False),
        ("avx2 fma", False),
        (None, False),
    ],
)
def test_processors_without_vnni_compute_the_same(
    flags: str | None, is_exact: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else their 16 bits overflow, and one passage of four got a score lower by .7."""
    cpuinfo = tmp_path / "cpuinfo"
    if flags is not None:
        cpuinfo.write_text(f"processor\t: 0\nflags\t\t: fpu {flags}\n")
    monkeypatch.setattr(onnx_model, "CPUINFO", cpuinfo)
    folder = write_tiny_model(tmp_path / "tiny")
    loaded = onnx_model.load_once(folder / "model.onnx", folder / TOKENIZER_FILE, None, None)
    options: Any = loaded.session.get_session_options()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    with pytest.raises(RuntimeError) if is_exact else nullcontext():
        assert options.get_session_config_entry("session.x64quantprecision") == "1"


async def test_this_processor_computes_the_same(
    shipped: LocalReader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Weights as they are and weights made unsigned give every text the same score, to the bit."""
    texts = [GIFTS, FLIGHTS, "", "Umlaute: äöü", GIFTS * 9, "1 2 3 € " * 40]
    scores = await shipped.scores(ASKED, texts)
    monkeypatch.setattr(onnx_model, "CPUINFO", tmp_path / "none")
    onnx_model.load_once.cache_clear()
    unsigned = find_local_reader(None)
    assert isinstance(unsigned, LocalReader)
    assert await unsigned.scores(ASKED, texts) == scores


async def test_what_answers_scores_higher(shipped: LocalReader) -> None:
    """Though it shares no telling word with the question."""
    answers, other = await shipped.scores(ASKED, [GIFTS, FLIGHTS])
    assert answers > other + 1


async def test_a_score_depends_on_its_pair_alone(shipped: LocalReader) -> None:
    """Alone, among others and in another place, a text has the same score; none have none."""
    fresh = find_local_reader(None)
    assert isinstance(fresh, LocalReader)
    (alone,) = await shipped.scores(ASKED, [GIFTS])
    among = await fresh.scores(ASKED, [FLIGHTS, "", GIFTS, FLIGHTS * 20, GIFTS])
    assert among[2] == among[4] == alone
    assert await shipped.scores(ASKED, []) == []


async def test_a_pair_is_cut_as_in_training(tiny: LocalReader) -> None:
    """The question at 72 tokens, the pair at 256, special ones included."""
    short, long = await tiny.scores("q " * 3, ["t " * 5, "t " * 400])
    assert short == 3 * QUESTION + 5 * TEXT + 4 * SPECIAL
    assert long == 3 * QUESTION + (256 - 4 - 3) * TEXT + 4 * SPECIAL
    (both,) = await tiny.scores("q " * 100, ["t " * 400])
    assert both == 72 * QUESTION + (256 - 4 - 72) * TEXT + 4 * SPECIAL


async def test_the_shipped_pair_is_cut_as_in_training(shipped: LocalReader) -> None:
    """What follows the 72nd token of a question and the 256th of a pair counts no more."""
    within, at, beyond = await shipped.scores(
        "gift " * 72, ["word " * 180, "word " * 181, "word " * 181 + "gift"]
    )
    assert within != at == beyond
    assert (await shipped.scores("gift " * 72 + "flight", ["word " * 180])) == [within]


@pytest.mark.parametrize(
    "inputs",
    [("input_ids", "attention_mask"), ("input_ids", "attention_mask", "token_type_ids")],
)
async def test_models_take_types_or_do_not(tmp_path: Path, inputs: Sequence[str]) -> None:
    """A model gets the inputs that it names."""
    found = find_local_reader(write_tiny_model(tmp_path / "other", inputs=inputs))
    assert isinstance(found, LocalReader)
    assert found.name.startswith("local:other/")
    assert await found.scores("q", ["t"]) == [QUESTION + TEXT + 4 * SPECIAL]


@pytest.mark.parametrize(
    ("outputs", "makes", "inputs"),
    [
        (2, "Identity", ("input_ids",)),
        (1, "Identity", ("input_ids", "past_key_values")),
        (1, "Identity", ("input_ids", "attention_mask", "position_ids")),
    ],
)
async def test_a_model_of_another_kind_is_an_error(
    tmp_path: Path, outputs: int, makes: str, inputs: Sequence[str]
) -> None:
    """Two logits, or an input that nobody can give, are no scores."""
    folder = write_tiny_model(tmp_path / "other", outputs=outputs, makes=makes, inputs=inputs)
    found = find_local_reader(folder)
    assert isinstance(found, LocalReader)
    with pytest.raises(ContractError):
        await found.scores("q", ["t"])


async def test_a_score_that_is_no_number_is_an_error(tmp_path: Path) -> None:
    """It would sort anywhere."""
    found = find_local_reader(write_tiny_model(tmp_path / "endless", makes="Exp"))
    assert isinstance(found, LocalReader)
    with pytest.raises(ContractError, match="finite"):
        await found.scores("q", ["t"])


async def test_pairs_are_read_once(tiny: LocalReader, read: list[str]) -> None:
    """A repeated pair is remembered, also within one request; another question reads anew."""
    first = await tiny.scores("q", ["t", "t t", "t"])
    assert await tiny.scores("q", ["t t", "t"]) == [first[1], first[0]]
    assert sorted(read) == ["t", "t t"]
    await tiny.scores("q q", ["t"])
    assert len(read) == 3


async def test_no_thread_is_idle_while_another_reads(
    tiny: LocalReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few pairs are shared out too, the long ones apart; a single one is read once."""
    turns: list[list[int]] = []
    true = reader.read_pairs

    def noting(asked: str, texts: Sequence[str], model: Loaded) -> list[float]:
        turns.append([len(text.split()) for text in texts])
        return true(asked, texts, model)

    monkeypatch.setattr(reader, "read_pairs", noting)
    few = await tiny.scores("q", ["t " * n for n in (1, 9, 2, 8)])
    assert sorted(turns) == [[8, 1], [9, 2]]
    assert few == [QUESTION + n * TEXT + 4 * SPECIAL for n in (1, 9, 2, 8)]
    await tiny.scores("q q", ["t"])
    assert turns[2:] == [[1]]


async def test_what_is_remembered_is_bounded(tmp_path: Path, read: list[str]) -> None:
    """The pair that was asked for longest ago goes first; more pairs than fit are still scored."""
    folder = write_tiny_model(tmp_path / "tiny")
    tiny = LocalReader(
        weights=folder / "model.onnx", tokenizer=folder / TOKENIZER_FILE, name="tiny", kept=2
    )
    await tiny.scores("q", ["t"])
    await tiny.scores("q", ["t t"])
    await tiny.scores("q", ["t"])
    await tiny.scores("q", ["t t t"])
    await tiny.scores("q", ["t"])
    assert read == ["t", "t t", "t t t"]
    assert len(await tiny.scores("q", ["t " * n for n in range(20)])) == 20
    await tiny.scores("q", ["t"])
    assert read[-1] == "t"


async def test_a_pair_is_not_taken_for_another(tiny: LocalReader) -> None:
    """Where the question ends and the text begins is part of what is remembered."""
    (one,) = await tiny.scores("q t", ["t"])
    (other,) = await tiny.scores("q", [" tt"])
    assert one != other


HOSTILE = [
    "gift" * 2_000,
    "? " * 4_000,
    "\u0300" * 8_000,
    "\U0001f469\u200d" * 4_000,
    "\ud83d gift \udc00" * 700,
    "\u202e\u0000\x1b[31m" * 1_300,
    "\uac00" * 8_000,
    "? " * 500_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_input_is_read_in_bounded_time(shipped: LocalReader, text: str) -> None:
    """As question and as text: a number, for at most a second of the processor."""
    await shipped.scores(ASKED, [GIFTS])
    started_s = time.process_time()
    assert len(await shipped.scores(text, [text, GIFTS])) == 2
    assert time.process_time() - started_s < 1


def test_it_may_be_used_from_one_loop_after_another(shipped: LocalReader) -> None:
    """Each with questions at the same moment, with more pairs than one turn has."""
    texts = [f"{GIFTS} {n}" for n in range(PAIRS_A_TURN + 3)]

    async def many(mark: str) -> list[list[float]]:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(shipped.scores(f"{ASKED}{mark}{n % 2}", texts)) for n in range(4)
            ]
        return [task.result() for task in tasks]

    for mark in "ab":
        first, second, third, fourth = asyncio.run(many(mark))
        assert first == third != second == fourth


async def test_who_is_cancelled_leaves_the_threads_to_others(
    tiny: LocalReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns that have not begun never do, and the next question is served."""
    begun, go_on = threading.Semaphore(0), threading.Event()
    turns: list[int] = []
    true = reader.read_pairs

    def waiting(asked: str, texts: Sequence[str], model: Loaded) -> list[float]:
        turns.append(len(texts))
        begun.release()
        go_on.wait(10)
        return true(asked, texts, model)

    monkeypatch.setattr(reader, "read_pairs", waiting)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(tiny.scores("q", ["t " * n for n in range(10 * PAIRS_A_TURN)]))
        await asyncio.to_thread(begun.acquire)
        task.cancel()
    assert task.cancelled()
    go_on.set()
    assert await tiny.scores("q q", ["t"]) == [2 * QUESTION + TEXT + 4 * SPECIAL]
    assert len(turns) <= onnx_model.THREADS + 1


async def test_weights_that_can_not_be_run_are_an_error(tmp_path: Path) -> None:
    """A file that is no model ends in an error that the product goes on without."""
    (tmp_path / "model.onnx").write_bytes(b"weights")
    (tmp_path / TOKENIZER_FILE).write_bytes(b"{}")
    found = find_local_reader(tmp_path)
    assert isinstance(found, LocalReader)
    with pytest.raises(ContractError, match="can't be loaded"):
        await found.scores("q", ["t"])


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shipped file whose hash differs is not loaded; the reason names it."""
    changed = tmp_path / "reader.int8.onnx"
    changed.write_bytes(SHIPPED.read_bytes() + b" ")
    monkeypatch.setattr(reader, "SHIPPED", changed)
    found = find_local_reader(None)
    assert isinstance(found, Unavailable)
    assert f"{changed} is not the expected file" in found.reason


async def test_without_its_tokenizer_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason says what is not installed, and `doctor` what helps."""
    monkeypatch.setattr(onnx_model, "CARRIER", "no-such-package")
    assert isinstance(await find_reader(Settings()), NoReader)
    finding = await check_reader(Settings())
    assert finding.health is Status.MISSING
    assert "no-such-package is not installed" in finding.found
    assert "deploy/model.lock" in finding.cure


async def test_a_folder_that_is_no_readers_is_refused(tmp_path: Path) -> None:
    """The message names the variable and the file; the shipped reader does not take its place."""
    settings = Settings.from_environment({"CITEBOUND_READER_MODEL": str(tmp_path)})
    with pytest.raises(ConfigError, match=r"CITEBOUND_READER_MODEL: .*tokenizer\.json can't be"):
        await find_reader(settings)
    finding = await check_reader(settings)
    assert finding.health is Status.BROKEN
    assert "CITEBOUND_READER_MODEL" in finding.cure


@pytest.mark.parametrize(
    ("outputs", "inputs", "tokenizer"),
    [
        (2, ("input_ids",), None),
        (1, ("input_ids", "past_key_values"), None),
        (1, ("input_ids",), "{}"),
    ],
    ids=["two logits", "another input", "no tokenizer"],
)
async def test_a_folder_is_tried_before_a_question_depends_on_it(
    tmp_path: Path, outputs: int, inputs: Sequence[str], tokenizer: str | None
) -> None:
    """What is in it can't read: the start says so in one line, and no question fails of it."""
    folder = write_tiny_model(tmp_path / "other", outputs=outputs, inputs=inputs)
    if tokenizer is not None:
        (folder / TOKENIZER_FILE).write_text(tokenizer)
    settings = Settings(reader_model=folder)
    with pytest.raises(ConfigError, match=r"\ACITEBOUND_READER_MODEL: [^\n]+\Z"):
        await find_reader(settings)
    finding = await check_reader(settings)
    assert (finding.health, finding.cure) == (
        Status.BROKEN,
        "correct or unset CITEBOUND_READER_MODEL",
    )


async def test_doctor_names_what_reads(tmp_path: Path) -> None:
    """With its revision, after it has read a pair; one that can't is broken; off is fine."""
    assert f"local:reader/{SHIPPED_SHA256[:12]}" in (await check_reader(Settings())).found
    other = Settings(reader_model=write_tiny_model(tmp_path / "other"))
    assert "local:other/" in (await check_reader(other)).found
    wrong = Settings(reader_model=write_tiny_model(tmp_path / "wrong", outputs=2))
    assert (await check_reader(wrong)).health is Status.BROKEN
    off = Settings.from_environment({"CITEBOUND_READER_MODEL": "none"})
    assert isinstance(await find_reader(off), NoReader)
    finding = await check_reader(off)
    assert finding.health is Status.FINE
    assert "switched off" in finding.found
    assert f"local:guard/{GUARD_SHA256[:12]}" in (await check_guard(Settings())).found
    assert "switched off" in (await check_guard(off)).found

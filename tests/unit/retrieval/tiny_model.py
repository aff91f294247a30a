"""A cross-encoder that can be checked by hand: its logit is the sum of its token ids.

Written as ONNX's protobuf (onnx.proto3), so that no library for it is needed. Questions are made of
the word "q" (id 1), texts of "t" (id 1,000), special tokens count 1,000,000 each.
"""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

QUESTION, TEXT, SPECIAL = 1, 1_000, 1_000_000
INT64, FLOAT = 7, 1


def write_tiny_model(
    folder: Path,
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    outputs: int = 1,
    makes: str = "Identity",
) -> Path:
    """Put `model.onnx` and `tokenizer.json` into a folder: four special tokens a pair, as RoBERTa.

    `makes` is what is done to the sum last, such as `Log`; `outputs` is how often it is given.
    """
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(inputs, outputs, makes))
    vocabulary = {"<unk>": 0, "q": QUESTION, "t": TEXT, "<s>": SPECIAL, "</s>": SPECIAL + 1}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))  # noqa: S106
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s>:1 $B:1 </s>:1",
        special_tokens=[("<s>", SPECIAL), ("</s>", SPECIAL)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _model(inputs: Sequence[str], outputs: int, makes: str) -> bytes:
    nodes = [
        _node("Cast", ["input_ids"], "ids", _attribute("to", FLOAT)),
        _node("ReduceSum", ["ids"], "sum", _attribute("keepdims", 1)),
        _node(makes, ["sum"], "one"),
        _node("Concat", ["one"] * outputs, "logits", _attribute("axis", 1)),
    ]
    graph = b"".join(
        [
            *(_bytes(1, node) for node in nodes),
            _bytes(2, b"tiny"),
            *(_bytes(11, _value(name, INT64, ("batch", "length"))) for name in inputs),
            _bytes(12, _value("logits", FLOAT, ("batch", "labels"))),
        ]
    )
    opset = _bytes(1, b"") + _number(2, 17)
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, opset)


def _node(kind: str, inputs: Sequence[str], output: str, attribute: bytes = b"") -> bytes:
    named = b"".join(_bytes(1, name.encode()) for name in inputs)
    return named + _bytes(2, output.encode()) + _bytes(4, kind.encode()) + attribute


def _attribute(name: str, value: int) -> bytes:
    return _bytes(5, _bytes(1, name.encode()) + _number(3, value) + _number(20, 2))


def _value(name: str, kind: int, shape: Sequence[str]) -> bytes:
    dimensions = b"".join(_bytes(1, _bytes(2, one.encode())) for one in shape)
    tensor = _number(1, kind) + _bytes(2, dimensions)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])

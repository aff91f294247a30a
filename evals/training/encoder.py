"""The reader as a PyTorch module: where its weights come from, what it is fed, how it is run.

A BERT of 6 layers with one logit. Its first weights are those of all-MiniLM-L6-v2, read from the
int8 ONNX file that the product's embedder runs, so nothing has to be downloaded.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import BertConfig, BertForSequenceClassification

from evals.training.sampling import SPECIAL, Row

CONFIG = BertConfig(
    vocab_size=30_522,
    hidden_size=384,
    num_hidden_layers=6,
    num_attention_heads=12,
    intermediate_size=1_536,
    num_labels=1,
    hidden_dropout_prob=0.1,
    attention_probs_dropout_prob=0.0,
    classifier_dropout=0.1,
    attn_implementation="eager",
)
CLS, SEP = 101, 102
MULTIPLE = 8
"""Widths of batches are multiples of it."""


def reader_at(path: Path) -> BertForSequenceClassification:
    """Return the reader with the weights of a file, in float32.

    Args:
        path: `.onnx`, the embedder's, below a new head that is the same every time; `.npz`, a
            reader by `save_rows`; `.pt`, a checkpoint.
    """
    torch.manual_seed(1)
    model = BertForSequenceClassification(CONFIG)
    state = {".onnx": _embedder, ".npz": _rows, ".pt": _checkpoint}[path.suffix](path)
    missing, unexpected = model.load_state_dict(state, strict=False)
    is_embedder = path.suffix == ".onnx"
    new = ("bert.pooler", "classifier") if is_embedder else ()
    lost = [name for name in missing if "position_ids" not in name and not name.startswith(new)]
    if lost or unexpected:
        raise SystemExit(f"{path} is no reader: lacks {lost}, has {unexpected}")
    return model


def _checkpoint(path: Path) -> dict[str, torch.Tensor]:
    state = torch.load(path, map_location="cpu", weights_only=True)["reader"]
    return {name: value.float() for name, value in state.items()}


def _rows(path: Path) -> dict[str, torch.Tensor]:
    held = np.load(path)
    names = [name for name in held.files if not name.endswith("/scale")]
    return {
        name: torch.tensor(
            held[name].astype(np.float32) * held[scale]
            if (scale := f"{name}/scale") in held
            else held[name].astype(np.float32)
        )
        for name in names
    }


def save_rows(state: dict[str, torch.Tensor], path: Path) -> None:
    """Write weights as int8 rows with a scale each: 23 MB to begin from, instead of 91."""
    stored: dict[str, Any] = {}
    for name, tensor in state.items():
        value = tensor.float().numpy()
        if value.ndim == 2 and value.size > 1_000:
            scale = np.abs(value).max(axis=1, keepdims=True) / 127 + 1e-12
            stored[name] = np.round(value / scale).astype(np.int8)
            stored[f"{name}/scale"] = scale.astype(np.float32)
        else:
            stored[name] = value
    np.savez(path, **stored)


def _embedder(path: Path) -> dict[str, torch.Tensor]:
    """Return the encoder's weights under their Hugging Face names, dequantised."""
    graph = onnx.load(str(path)).graph
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def plain(name: str) -> Any:
        scale, zero = held[f"{name}_scale"], held[f"{name}_zero_point"]
        return (held[f"{name}_quantized"].astype(np.float32) - zero.astype(np.float32)) * scale

    state = {
        name: value
        for name, value in held.items()
        if re.fullmatch(r"(embeddings|encoder)\..*(weight|bias)", name)
    }
    for kind in ("word", "position", "token_type"):
        name = f"embeddings.{kind}_embeddings.weight"
        state[name] = plain(name)
    follows = {given: node for node in reversed(graph.node) for given in node.input}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            after = follows[node.output[0]]
            while after.op_type != "Add":  # Cast and Mul, then the Add that names the bias
                after = follows[after.output[0]]
            bias = next(name for name in after.input if name.endswith(".bias"))
            weight = node.input[1].removesuffix("_quantized")
            state[bias.replace(".bias", ".weight")] = plain(weight).T
    return {
        f"bert.{name}": torch.tensor(np.ascontiguousarray(value)) for name, value in state.items()
    }


def tokenizer_at(path: Path) -> Tokenizer:
    """Return the embedder's tokenizer, which neither cuts nor pads."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def batch_of(rows: Sequence[Row], device: str) -> dict[str, torch.Tensor]:
    """Return ids, mask and types of pairs: [CLS] question [SEP] text [SEP], padded."""
    width = max(row.width for row in rows)
    width = -(-width // MULTIPLE) * MULTIPLE
    ids = np.zeros((len(rows), width), dtype=np.int64)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for number, row in enumerate(rows):
        second = len(row.question) + SPECIAL - 1
        ids[number, : row.width] = [CLS, *row.question, SEP, *row.text, SEP]
        mask[number, : row.width] = 1
        types[number, second : row.width] = 1
    arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    return {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}


def logits_of(model: BertForSequenceClassification, feed: dict[str, torch.Tensor]) -> torch.Tensor:
    """Return the logits of a batch, in bfloat16 where that is safe.

    The same as the model's own forward pass, without its overhead: a third of the time on a GPU.
    """
    ids = feed["input_ids"]
    size, length = ids.shape
    drop = CONFIG.hidden_dropout_prob if model.training else 0.0
    with torch.autocast(ids.device.type, dtype=torch.bfloat16):
        table = model.bert.embeddings
        places = torch.arange(length, device=ids.device)
        hidden = table.word_embeddings(ids) + table.position_embeddings(places)[None]
        hidden = table.LayerNorm(hidden + table.token_type_embeddings(feed["token_type_ids"]))
        hidden = functional.dropout(hidden, drop, model.training)
        mask = feed["attention_mask"].bool()[:, None, None, :]
        heads = (size, length, CONFIG.num_attention_heads, -1)
        for layer in model.bert.encoder.layer:
            own, out = layer.attention.self, layer.attention.output
            query, key, value = (
                part(hidden).view(heads).transpose(1, 2) for part in (own.query, own.key, own.value)
            )
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
            mixed = out.dense(mixed.transpose(1, 2).reshape(size, length, -1))
            hidden = out.LayerNorm(functional.dropout(mixed, drop, model.training) + hidden)
            wide = layer.output.dense(functional.gelu(layer.intermediate.dense(hidden)))
            wide = functional.dropout(wide, drop, model.training)
            hidden = layer.output.LayerNorm(wide + hidden)
        pooled = torch.tanh(model.bert.pooler.dense(hidden[:, 0]))
        pooled = functional.dropout(pooled, drop, model.training)
        return model.classifier(pooled).squeeze(-1).float()


@torch.no_grad()
def scores_of(
    model: BertForSequenceClassification, rows: Sequence[Row], device: str
) -> list[float]:
    """Return the logit of each pair; they are run in batches of like length."""
    was_training = model.training
    model.eval()
    order = sorted(range(len(rows)), key=lambda number: rows[number].width)
    found = [0.0] * len(rows)
    at = 0
    while at < len(order):
        widest = rows[order[min(at + 63, len(order) - 1)]].width
        some = order[at : at + max(8, min(160, 12_000 // widest))]
        logits = logits_of(model, batch_of([rows[number] for number in some], device))
        for number, logit in zip(some, logits.tolist(), strict=True):
            found[number] = logit
        at += len(some)
    model.train(was_training)
    return found

"""Other prompts than those of the release: an earlier version, or files of an operator's own.

A record names the prompts that were used, so a name means one text: what is not word for word a
prompt that was ever released carries the beginning of its hash (`answer/4+1f0c22ab`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from core.agent.prompts import RELEASED, Prompt, Prompts, earlier, parse
from core.domain.errors import ConfigError

VARIABLE = "CITEBOUND_PROMPTS"
MOST = 64_000
"""Bytes of a prompt file; those of the release have a tenth of it."""
_DIGITS = 8


@cache
def known_prompts() -> Mapping[str, Prompt]:
    """Return every prompt that was ever released for answering, by its label."""
    shipped = [parse(_name(one.name), one.read_text("utf-8")) for one in _earlier()]
    return {one.label: one for one in (*shipped, *_each(RELEASED))}


def _earlier() -> Iterable[Path]:
    found = files(earlier).iterdir()
    return [Path(str(one)) for one in found if one.name.endswith(".md")]


def _name(file: str) -> str:
    """Return the name of a prompt from that of its file (`answer-2.md`)."""
    return file.removesuffix(".md").rpartition("-")[0]


def chosen_prompts(chosen: str) -> Prompts:
    """Return the prompts of the release with those that are chosen in their places.

    Args:
        chosen: Labels of released prompts with commas between them (`answer/2,judge/2`), or a file,
            or a folder of files, as the prompts of the release are written.

    Raises:
        ConfigError: There is no such prompt, or a file is none.
    """
    path = Path(chosen).expanduser()
    if path.is_dir():
        paths = sorted(path.glob("*.md"))
        if not paths:
            raise ConfigError(f"{VARIABLE}: {path} has no prompts: files whose names end in .md")
        return _with(map(_read, paths))
    if path.is_file():
        return _with([_read(path)])
    return _with(map(_labelled, chosen.split(",")))


def recorded_prompts(labels: Iterable[str], own: Prompts) -> Prompts:
    """Return the prompts that a record names, where they are known here.

    Args:
        labels: As the record has them.
        own: Those in use here: their labels are known, too.
    """
    known = {**known_prompts(), **{one.label: one for one in _each(own)}}
    wanted = dict.fromkeys(labels)
    return _with((known[one] for one in wanted if one in known), own)


def labels_of(prompts: Prompts) -> tuple[str, ...]:
    """Return the labels of those that are not the release's."""
    released = {one.label for one in _each(RELEASED)}
    return tuple(one.label for one in _each(prompts) if one.label not in released)


def _with(found: Iterable[Prompt], own: Prompts = RELEASED) -> Prompts:
    slots = {one.name: field for field, one in _by_field(own).items()}
    return replace(own, **{slots[one.name]: one for one in found})


def _by_field(prompts: Prompts) -> dict[str, Prompt]:
    return {one.name: getattr(prompts, one.name) for one in fields(prompts)}


def _each(prompts: Prompts) -> tuple[Prompt, ...]:
    return tuple(_by_field(prompts).values())


def _labelled(label: str) -> Prompt:
    known = known_prompts()
    found = known.get(label.strip())
    if found is None:
        raise ConfigError(
            f"{VARIABLE}: expected a file, a folder, or of {', '.join(sorted(known))}; got"
            f" {label.strip()!r}"
        )
    return found


def _read(path: Path) -> Prompt:
    try:
        if path.stat().st_size > MOST:
            raise ConfigError(f"{VARIABLE}: {path} has more than {MOST} bytes")
        raw = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise ConfigError(f"{VARIABLE}: {path} can't be read: {why}") from error
    name = _named_in(raw)
    names = [one.name for one in _each(RELEASED)]
    if name not in names:
        raise ConfigError(
            f"{VARIABLE}: {path} must say in its first lines which prompt it is, `name:` and one of"
            f" {', '.join(names)}"
        )
    try:
        found = parse(name, raw)
    except ValueError as error:
        raise ConfigError(
            f"{VARIABLE}: {path} is no prompt: between two lines of --- it needs name, version (a"
            " number), contract and test, and its text after them"
        ) from error
    known = known_prompts().get(found.label)
    if known is not None and known.text == found.text:
        return known
    return replace(found, text_hash=sha256(found.text.encode()).hexdigest()[:_DIGITS])


def _named_in(raw: str) -> str:
    lines = (line.partition(":") for line in raw.splitlines()[:10])
    return next((value.strip() for key, _, value in lines if key.strip() == "name"), "")

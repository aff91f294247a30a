"""Front matter of a Markdown file: what it states above its text.

YAML between lines of `---`, also without the first one, or TOML between lines of `+++`. Of YAML the
part is read that front matter needs:
- a plain value ends at a comment (` #`), and goes on in indented lines below it;
- a value in quotes keeps what looks like a comment, and block scalars (`>`, `|`) become one line;
- lists, mappings, anchors, aliases and tags are no value: a field that has one is named.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

from core.domain.policy import UnusedStatement
from core.ingest.metadata import LabelledValue, SelfDescription, field_of, read_labels, shown

_LONGEST = 20_000
"""Characters of front matter."""
_YAML = re.compile(rf"---[ \t]*\n(.{{0,{_LONGEST}}}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_UNOPENED = re.compile(
    r"((?>(?:[A-Za-z][\w-]{0,40}:(?: [^\n]{0,300})?\n|[ \t]{1,20}[^\n]{1,300}\n"
    r"|- [^\n]{1,300}\n){1,200}))"
    r"---[ \t]*(?:\n|$)"
)
"""The same without its first line, as some generators of policies write it."""
_TOML = re.compile(rf"\+\+\+[ \t]*\n(.{{0,{_LONGEST}}}?)\n\+\+\+[ \t]*(?:\n|$)", re.DOTALL)
_UNENDED = re.compile(r"(---|\+\+\+)[ \t]*\n([^\n:=]{1,60})[:=]")
_BLOCK = re.compile(r"[>|][-+1-9]{0,2}(?:[ \t]++#.*+|[ \t]*+)")
_DOUBLE = re.compile(r'"(?>(?:[^"\\]|\\.)*)"')
_SINGLE = re.compile(r"'(?>(?:[^']|'')*)'")
_COMMENT = re.compile(r"(?<![^ \t])#.*+")
_TAGGED = re.compile(r"[&*!][\w!<]")
_MAPPED = re.compile(r"[^\s:\"'][^:]{0,60}:(?:\s|$)")
"""How a line begins that is a name and its value."""
_NOTHING = frozenset({"~", "null", "Null", "NULL"})
_ONE_VALUE = "expected one value, got "
_AT_MARGIN = "expected it at the left margin, got it nested below "
_CARE = frozenset({"owner", "sensitivity", "review_by", "verified_by"})
"""Fields that are missed if they are nested below something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What stands above a text."""

    end: int = 0
    """Offset at which the text begins."""
    said: SelfDescription
    """What it states, and what of it can't be used."""


def front_matter_of(text: str) -> FrontMatter:
    r"""Read the front matter of a Markdown text whose lines end with `\n`."""
    if toml := _TOML.match(text):
        return FrontMatter(end=toml.end(), said=read_toml(toml.group(1)))
    if yaml := _YAML.match(text) or _UNOPENED.match(text):
        return FrontMatter(end=yaml.end(), said=read_yaml(yaml.group(1)))
    begun = _UNENDED.match(text)
    if begun is None or field_of(begun.group(2)) is None:
        return FrontMatter(said=SelfDescription(values={}))
    note = (
        f"the front matter does not end, and is read as text: expected a line {begun.group(1)}"
        f" below it, within {_LONGEST:,} characters"
    )
    return FrontMatter(
        said=SelfDescription(values={}, unused=(UnusedStatement(field="", note=note),))
    )


def read_toml(block: str) -> SelfDescription:
    """Read TOML; of tables in it, what they name counts as if it stood above them."""
    try:
        content: dict[str, object] = tomllib.loads(block)
    except (ValueError, RecursionError) as error:
        note = f"the front matter is not used, because it is not valid TOML ({error}): correct it"
        return SelfDescription(values={}, unused=(UnusedStatement(field="", note=note),))
    found: list[LabelledValue] = []
    below: list[LabelledValue] = []
    for name, value in content.items():
        if isinstance(value, dict) and field_of(name) is None:
            held = cast("dict[str, object]", value)
            below += [_toml_value(label, each) for label, each in held.items()]
        else:
            found.append(_toml_value(name, cast("object", value)))
    return read_labels([*found, *_as_titles(found), *below])


def read_yaml(block: str) -> SelfDescription:
    """Read the lines `name: value` of YAML; the first of those that are none is named."""
    found: list[LabelledValue] = []
    nested: list[LabelledValue] = []
    unread: list[str] = []
    for line, below in _entries(block.split("\n")):
        name, colon, value = line.partition(":")
        if not colon:
            unread.append(line)
            continue
        name = name.strip().strip("\"'")
        if field_of(name) is None:
            nested += _nested(name, below)
        found.append(_yaml_value(name, value.strip(), below))
    said = read_labels([*found, *_as_titles(found)])
    said = replace(said, unused=(*said.unused, *_missed(nested, said)))
    if not unread:
        return said
    more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
    note = f"front matter {shown(unread[0])}{more} is not used: expected a line like owner: Legal"
    return replace(said, unused=(*said.unused, UnusedStatement(field="", note=note)))


def _entries(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each line at the left margin, and those that belong to it below."""
    line, below = "", list[str]()
    for each in lines:
        if not each.strip() or each.startswith((" ", "\t", "- ")) or each == "-":
            below.append(each)
        elif not each.startswith("#"):
            if line:
                yield line, below
            line, below = each, []
    if line:
        yield line, below


def _yaml_value(name: str, value: str, below: Sequence[str]) -> LabelledValue:
    held = [each.strip() for each in below if each.strip()]
    if _BLOCK.fullmatch(value):
        return LabelledValue(label=name, value=" ".join(held))
    if value.startswith(('"', "'")):
        return _quoted(name, " ".join([value, *held]))
    plain = _COMMENT.sub("", value).strip()
    held = [each for each in (_COMMENT.sub("", one).strip() for one in held) if each]
    whole = " ".join(filter(None, [plain, *held]))
    kind = _structure(plain, held)
    if kind is not None:
        return LabelledValue(label=name, value=whole, problem=_ONE_VALUE + kind)
    return LabelledValue(label=name, value="" if whole in _NOTHING else whole)


def _structure(plain: str, held: Sequence[str]) -> str | None:
    """Return what a value is if it is more than one; None: it is one."""
    if plain.startswith("[") or any(each.startswith("- ") or each == "-" for each in held):
        return "a list"
    if plain.startswith("{") or any(_MAPPED.match(each) for each in held):
        return "several named values"
    return "an anchor, an alias or a tag" if _TAGGED.match(plain) else None


def _quoted(name: str, value: str) -> LabelledValue:
    match = (_DOUBLE if value.startswith('"') else _SINGLE).match(value)
    if match is None:
        problem = "its quotes do not end; expected a value like " + '"Group Legal"'
        return LabelledValue(label=name, value=value, problem=problem)
    if _COMMENT.sub("", value[match.end() :]).strip():
        problem = "something follows its closing quote; expected quotes around all of it, or none"
        return LabelledValue(label=name, value=value, problem=problem)
    return LabelledValue(label=name, value=_unquoted(match.group()))


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    try:
        return str(json.loads(text, strict=False))
    except ValueError:  # an escape that YAML knows and JSON does not
        return re.sub(r"\\(.)", r"\1", text[1:-1])


def _as_titles(found: Sequence[LabelledValue]) -> list[LabelledValue]:
    """Return what is given a `name`, which is a title where nothing else is one."""
    return [replace(one, label="title") for one in found if one.label.casefold() == "name"]


def _nested(above: str, below: Sequence[str]) -> Iterator[LabelledValue]:
    """Yield the fields that stand below another one, where nobody looks for them."""
    for line in below:
        name, colon, value = line.strip().partition(":")
        if colon and field_of(name) in _CARE:
            yield replace(_yaml_value(name, value.strip(), ()), problem=_AT_MARGIN + shown(above))


def _missed(nested: Sequence[LabelledValue], said: SelfDescription) -> Iterator[UnusedStatement]:
    known = {*said.values, *(one.field for one in said.unused)}
    return (one for one in read_labels(nested).unused if one.field not in known)


def _toml_value(name: str, value: object) -> LabelledValue:
    if isinstance(value, list | dict):
        kind = "a list" if isinstance(value, list) else "several named values"
        held = cast("object", value)
        return LabelledValue(label=name, value=str(held), problem=_ONE_VALUE + kind)
    # A date and time is a date first.
    text = value.isoformat() if isinstance(value, date) else str(value)
    return LabelledValue(label=name, value=text)

"""Every regular expression of `bot` and `core`, found by walking the modules; how to attack one.

A pattern is found where it is kept (a global of a module, in whatever collection, dataclass or
property), and where it is written (`re.sub(r"...", ...)` in a function, by the syntax tree). What a
function puts in is stood in for by a word.

    python -m tests.patterns        attacks all, and writes down those that withstand it

An ordinary run attacks those that are not written down, a nightly one all of them.
"""

import ast
import dataclasses
import gc
import hashlib
import importlib
import inspect
import pkgutil
import random
import re
import signal
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, cast

from core.expressions import LateExpression

Tree: TypeAlias = Any
"""What `re` makes of a pattern: it has no public type."""

op: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")
_ANCHORED = frozenset({"match", "fullmatch"})
_METHODS = _ANCHORED | {"search", "finditer", "findall", "sub", "subn", "split"}
WITHSTOOD = Path(__file__).with_name("patterns_withstood.txt")
LENGTH = 8_000
"""Characters: the longest question."""
LIMIT_S = 0.05
"""Seconds that a pattern may take for as many."""
PATIENCE_S = 1.0
_SCREENED = 800
_SUSPICIOUS_S = 0.00025
"""Half of what a quadratic one takes for these that takes `LIMIT_S` for `LENGTH`."""
_TRIES = 5
_SUPERLINEAR = 2.8
"""Twice the text takes twice the time, four times if it is quadratic."""
_DEEPEST = 5
_MANY = 8
"""Repetitions from which a repeat counts as one that hostile text can drive."""
_FUNCTIONS = _METHODS | {"compile", "expression"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A regular expression of the product."""

    where: str
    """Module, and name or line."""
    pattern: re.Pattern[Any]
    """The expression, for text or for bytes."""
    uses: Set[str]
    """Methods that are called of it; empty where it is kept without a name of its own."""


def modules() -> Iterator[ModuleType]:
    """Import every module of the product."""
    for name in ("bot", "core", "evals.measuring"):
        package = importlib.import_module(name)
        for info in pkgutil.walk_packages(package.__path__, prefix=f"{name}."):
            if not info.name.endswith("__main__"):
                yield importlib.import_module(info.name)


@cache
def patterns() -> list[Found]:
    """Return every regular expression of the product, each once."""
    loaded = list(modules())
    trees = {module.__name__: ast.parse(inspect.getsource(module)) for module in loaded}
    uses = {name: _uses(tree) for name, tree in trees.items()}
    kept = [
        (f"{module.__name__}.{name}", pattern, uses[module.__name__].get(name, frozenset()))
        for module in loaded
        for name, value in vars(module).items()
        if not isinstance(value, ModuleType)
        for pattern in _kept(value, depth=0)
    ]
    written = [
        one
        for module in loaded
        for one in _written(module, trees[module.__name__], uses[module.__name__])
    ]
    found: dict[tuple[str, int], Found] = {}
    for where, pattern, used in [*kept, *written]:
        known = found.get((pattern.pattern, pattern.flags))
        one = Found(where=where, pattern=pattern, uses=used)
        found[pattern.pattern, pattern.flags] = (
            replace(known, uses=known.uses | used) if known else one
        )
    return list(found.values())


def digest(found: Found) -> str:
    """Return what an attack depends on, in 16 figures: the expression, its flags and its use."""
    said = repr((found.pattern.pattern, found.pattern.flags, sorted(found.uses)))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def withstood() -> frozenset[str]:
    """Return the digests of expressions that were attacked before in vain."""
    return frozenset(WITHSTOOD.read_text().split())


def _uses(tree: ast.Module) -> dict[str, Set[str]]:
    """Return, by the name of a pattern, the methods that a module calls of it."""
    uses: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            owner = node.value
            name = getattr(owner, "id", None) or getattr(owner, "attr", None)
            if isinstance(name, str):
                uses.setdefault(name, set()).add(node.attr)
    return dict(uses)


def _kept(value: Any, *, depth: int) -> Iterator[re.Pattern[Any]]:
    """Return the patterns in a value, however it holds them."""
    if isinstance(value, re.Pattern):
        yield cast("re.Pattern[Any]", value)
    elif isinstance(value, LateExpression):
        yield re.compile(value.pattern, value.flags)
    elif depth < _DEEPEST and not isinstance(value, str | bytes | int | float | type | ModuleType):
        for part in _held(value):
            yield from _kept(part, depth=depth + 1)


def _held(value: Any) -> Iterator[Any]:
    """Return what a collection, a dataclass or a function without parameters holds."""
    if isinstance(value, Mapping):
        yield from cast("Mapping[Any, Any]", value).keys()
        yield from cast("Mapping[Any, Any]", value).values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from cast("Iterable[Any]", value)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield getattr(value, field.name, None)
        for name, member in vars(type(value)).items():
            if isinstance(member, property) and member.fget and _makes_pattern(member.fget):
                yield getattr(value, name)
    elif (
        inspect.isfunction(inspect.unwrap(value) if callable(value) else None)
        and not inspect.signature(value).parameters
        and _makes_pattern(value)
    ):
        yield value()


def _makes_pattern(function: Any) -> bool:
    return "Pattern" in str(inspect.signature(function).return_annotation)


def _written(
    module: ModuleType, tree: ast.Module, uses: Mapping[str, Set[str]]
) -> Iterator[tuple[str, re.Pattern[Any], Set[str]]]:
    named = {
        node.value: uses.get(node.targets[0].id, frozenset[str]())
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or (name := _called(node.func)) not in _FUNCTIONS:
            continue
        source = _source(node.args[0], module)
        if source is None:
            continue
        flags = 0
        for keyword in node.keywords:
            if keyword.arg == "flags":
                flags = int(_value(keyword.value, module) or 0)
        place = {"compile": 1, "expression": 1, "sub": 4, "subn": 4, "split": 3}.get(name, 2)
        if len(node.args) > place:
            flags = int(_value(node.args[place], module) or 0)
        kept = name in {"compile", "expression"}
        used = named.get(node, frozenset[str]()) if kept else frozenset({name})
        yield f"{module.__name__}:{node.lineno}", re.compile(source, flags), used


def _called(function: ast.expr) -> str:
    """Return which function of `re` is called, or the one that stands in for `re.compile`."""
    match function:
        case ast.Name(id="expression" as name) | ast.Attribute(value=ast.Name(id="re"), attr=name):
            return name
        case _:
            return ""


def _source(node: ast.expr, module: ModuleType) -> str | None:
    """Return a pattern as it is written; None where it is made of parameters alone."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value)
            if isinstance(part, ast.Constant)
            else _source(part.value, module) or "word"
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
    value = _value(node, module)
    return value if isinstance(value, str) else None


def _value(node: ast.expr, module: ModuleType) -> Any:
    try:
        return eval(compile(ast.Expression(node), "pattern", "eval"), dict(vars(module)))  # noqa: S307
    except NameError:
        return None


_GENERIC = (
    " ", "\n", "\t", "1", "1,", "1.", "1 ", "a", "A", "a ", "A ", "Aa ", "a.", "a-", "(", ")",
    "- ", "|", "| ", '"', "'", "*", "**", "#", ". ", ", ", "[", "<", "<a", "=", "_", "-", "@",
    ":", "/", "a, ", "\u201c", "\u00a0", "\x00", "\u2014", "not ", "or ", "and ", "the ", "1) ",
    "(a", "\n ", "? ",
)  # fmt: skip
_TAILS = ("@x", "\x00")
_AROUND = ("", " ", ". ", "(", "a", "9", "-", "May ", "5 ", "must ")
"""What may stand beside a match."""


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str, str]]:
    """Return (head, pump, tail) of texts made to be hard for a pattern: head, much pump, tail."""
    source = pattern.pattern
    if isinstance(source, bytes):
        source = source.decode("latin-1")
    tree = parser.parse(source, pattern.flags & ~re.DEBUG)
    heads: dict[tuple[str, str], None] = {}
    for choice in range(3):
        whole = _sample(tree, choice)
        heads["", whole] = None
        heads["", whole + " "] = None
        for head, pump in _pumps(tree, "", choice):
            heads[head, pump] = None
            heads["", pump] = None
            heads["", head] = None
            heads["", head + " "] = None
            heads["", head + pump] = None
            heads["", head + pump + " "] = None
            heads["", head + pump * 3] = None
    tails = dict.fromkeys((*_TAILS, *_excluded(tree)))
    pumps = dict.fromkeys([*heads, *(("", pump) for pump in _GENERIC)])
    return [(head, pump, tail) for head, pump in pumps if pump for tail in tails]


def _excluded(tree: Tree) -> Iterator[str]:
    """Return what ends a negated class: hostile text ends with it."""
    for code, argument in tree:
        if code is op.NOT_LITERAL:
            yield chr(argument)
        elif code is op.IN and argument[0][0] is op.NEGATE:
            yield from (chr(one) for kind, one in argument[1:3] if kind is op.LITERAL)
        else:
            for part in _parts(code, argument):
                yield from _excluded(part)


def _parts(code: Any, argument: Any) -> list[Tree]:
    """Return the patterns inside a part of a pattern."""
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [argument[2]]
    if code is op.SUBPATTERN:
        return [argument[3]]
    if code is op.ATOMIC_GROUP:
        return [argument]
    if code is op.BRANCH:
        return list(argument[1])
    if code in (op.ASSERT, op.ASSERT_NOT):
        return [argument[1]]
    return []


class _TooLongError(Exception):
    """It takes longer than anybody waits for."""


def cost_s(found: Found, text: str) -> float:
    """Return the seconds of the processor that a pattern takes for a text, at most `PATIENCE_S`.

    All matches of the text are found, as a search in a loop would; at one place alone if the
    product does no more. `re` looks for signals while it works, in the main thread.
    """
    subject = (
        text.encode("latin-1", "replace") if isinstance(found.pattern.pattern, bytes) else text
    )
    began_s = time.thread_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
        _use(found, subject)
    except _TooLongError:
        return PATIENCE_S
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - began_s


def _use(found: Found, subject: Any) -> None:
    if "match" in found.uses or not found.uses:
        found.pattern.match(subject)
    if "fullmatch" in found.uses:
        found.pattern.fullmatch(subject)
    if not found.uses or found.uses - _ANCHORED:
        deque(cast("Iterator[Any]", found.pattern.finditer(subject)), maxlen=0)


@contextmanager
def patience() -> Generator[None]:
    """Let `cost_s` give up: whatever it measures ends. No garbage is collected meanwhile."""

    def give_up(_number: int, _frame: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGVTALRM, give_up)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


def _least_s(found: Found, *texts: str) -> list[float]:
    """Return the least of some measurements of each text, taken by turns.

    Whatever else the machine does then slows all of them alike, not one alone.
    """
    took_s = [[cost_s(found, text) for text in texts] for _ in range(_TRIES)]
    return [min(one) for one in zip(*took_s, strict=True)]


def worst_of(found: Found) -> tuple[str, float] | None:
    """Return an attack that a pattern does not withstand, and its seconds; None: it does all.

    It is looked for at lengths at which a harmless one costs next to nothing. What then seems slow
    is measured several times, and counts if it is always too slow and grows faster than its text.
    """
    for attack in attacks(found.pattern):
        screened = cost_s(found, text_of(attack, _SCREENED))
        if screened >= PATIENCE_S:  # exponential
            return repr(attack), PATIENCE_S
        if screened < _SUSPICIOUS_S:
            continue
        shorter = cost_s(found, text_of(attack, _SCREENED // 4))
        if screened < 6 * shorter and screened < LIMIT_S * _SCREENED / LENGTH:
            continue
        if cost_s(found, text_of(attack, LENGTH)) <= LIMIT_S:
            continue
        whole, half = _least_s(found, text_of(attack, LENGTH), text_of(attack, LENGTH // 2))
        if whole > LIMIT_S and (whole > _SUPERLINEAR * half or whole > 3 * LIMIT_S):
            return repr(attack), whole
    return None


def text_of(attack: tuple[str, str, str], length: int) -> str:
    """Return an attack of a length."""
    head, pump, tail = attack
    room = max(1, length - len(head) - len(tail))
    return head + (pump * (room // len(pump) + 1))[:room] + tail


def _sample(tree: Tree, choice: int) -> str:
    return "".join(_one(code, argument, choice) for code, argument in tree)


def _one(code: Any, argument: Any, choice: int) -> str:  # noqa: PLR0911
    if code is op.LITERAL:
        return chr(argument)
    if code is op.NOT_LITERAL:
        return "a" if argument != ord("a") else "b"
    if code is op.ANY:
        return "a 1"[choice % 3]
    if code is op.IN:
        letters = _letters(argument)
        return letters[choice % len(letters)]
    if code is op.BRANCH:
        branches = argument[1]
        return _sample(branches[choice % len(branches)], choice)
    if code is op.SUBPATTERN:
        return _sample(argument[3], choice)
    if code is op.ATOMIC_GROUP:
        return _sample(argument, choice)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, most, body = argument
        return _sample(body, choice) * max(least, min(1, most) if choice else least)
    if code is op.GROUPREF_EXISTS:
        return _sample(argument[1], choice)
    return ""


def examples(pattern: re.Pattern[str], count: int) -> Iterator[str]:
    """Yield texts in which a pattern finds something, the same each time."""
    tree, chance = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), random.Random(7)  # noqa: S311
    made = 0
    for _ in range(_TRIES * count):
        around = [chance.choice(_AROUND) for _ in range(2)]
        text = f"{around[0]}{_drawn(tree, chance, {})}{around[1]}"
        if pattern.search(text):
            made += 1
            yield chance.choice((str, str.upper, str.capitalize))(text)
        if made == count:
            return


def _drawn(tree: Tree, chance: random.Random, groups: dict[int, str]) -> str:
    """Return a text that a pattern may match, if what stands around it may."""
    found: list[str] = []
    for code, argument in tree:
        if code is op.BRANCH:
            found.append(_drawn(chance.choice(argument[1]), chance, groups))
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            least, most, body = argument
            times = chance.randint(least, min(int(most), least + 2))
            found += [_drawn(body, chance, groups) for _ in range(times)]
        elif code is op.SUBPATTERN:
            found.append(_drawn(argument[3], chance, groups))
            groups[argument[0]] = found[-1]
        elif code is op.ATOMIC_GROUP:
            found.append(_drawn(argument, chance, groups))
        elif code is op.NOT_LITERAL:
            found.append(chance.choice([one for one in "a 1" if ord(one) != argument]))
        elif code is op.GROUPREF:
            found.append(groups.get(argument, ""))
        else:
            found.append(_one(code, argument, chance.randrange(1_000)))
    return "".join(found)


def _letters(members: Tree) -> list[str]:
    """Return some characters of a class."""
    by_category = {
        op.CATEGORY_DIGIT: "1",
        op.CATEGORY_SPACE: " \n\t",
        op.CATEGORY_WORD: "a1_",
        op.CATEGORY_NOT_DIGIT: "a ",
        op.CATEGORY_NOT_SPACE: "a1.",
        op.CATEGORY_NOT_WORD: " .,",
    }
    inside: list[str] = []
    is_negated = False
    for code, argument in members:
        if code is op.NEGATE:
            is_negated = True
        elif code is op.LITERAL:
            inside.append(chr(argument))
        elif code is op.RANGE:
            inside += [chr(argument[0]), chr(argument[1])]
        elif code is op.CATEGORY:
            inside += by_category[argument]
    if not is_negated:
        return inside
    others = ("a", " ", "1", ".", "A", "\n", "(", "\u4e00")
    return [letter for letter in others if letter not in inside]


def _pumps(tree: Tree, head: str, choice: int) -> Iterator[tuple[str, str]]:
    """Return each repeat with what comes before it: (what leads there, what it repeats)."""
    for code, argument in tree:
        if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            _, most, body = argument
            if most >= _MANY:
                for other in range(3):
                    yield head, _sample(body, other)
            yield from _pumps(body, head, choice)
        elif code is op.SUBPATTERN:
            yield from _pumps(argument[3], head, choice)
        elif code is op.ATOMIC_GROUP:
            yield from _pumps(argument, head, choice)
        elif code is op.BRANCH:
            for branch in argument[1]:
                yield from _pumps(branch, head, choice)
        elif code in (op.ASSERT, op.ASSERT_NOT):
            yield from _pumps(argument[1], head, choice)
        head += _one(code, argument, choice)


if __name__ == "__main__":
    with patience():
        linear = sorted(digest(found) for found in patterns() if worst_of(found) is None)
    WITHSTOOD.write_text("\n".join(linear) + "\n")
    print(f"{len(linear)} of {len(patterns())} withstand it")  # noqa: T201

"""What tokens cost, in US dollars: a table in settings, with published prices as default.

Defaults are Anthropic's own list prices for its API, read in November 2026 from
`platform.claude.com/docs/en/models/sonnet-5-5/overview` and `.../haiku-5-5/overview`. Bedrock and
Vertex have price lists of their own: there nothing is known unless it is set. Cache writes are
priced as those for five minutes, the only ones this program asks for.

A table is JSON: `{"claude-x": {"input": 2, "cache_write": 2.5, "cache_read": 0.2, "output": 10}}`,
USD per million tokens; `"above": {"tokens": 100000, ...}` has the prices of prompts longer than
that. A model has the prices of the longest name that its own begins with.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.domain.errors import ConfigError
from core.domain.run import TokenUse

MILLION = 1_000_000
_KINDS = ("input", "cache_write", "cache_read", "output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """USD per million tokens."""

    input: float
    """Read fresh."""
    cache_write: float
    """Read and written to the cache."""
    cache_read: float
    """Read from the cache."""
    output: float
    """Written."""

    def cost_usd(self, tokens: TokenUse) -> float:
        """Return what these tokens cost."""
        parts = (
            self.input * tokens.fresh,
            self.cache_write * tokens.cache_write,
            self.cache_read * tokens.cache_read,
            self.output * tokens.output,
        )
        return math.fsum(parts) / MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one family of models costs."""

    rates: Rates
    """Of usual prompts."""
    above_tokens: int | None = None
    """Prompts with more tokens than this have other rates; None: all have the same."""
    rates_above: Rates | None = None
    """Those; None: as usual."""

    def cost_usd(self, tokens: TokenUse) -> float:
        """Return what one call costs."""
        read = tokens.fresh + tokens.cache_read + tokens.cache_write
        if self.above_tokens is not None and self.rates_above and read > self.above_tokens:
            return self.rates_above.cost_usd(tokens)
        return self.rates.cost_usd(tokens)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by how a model's name begins."""

    by_prefix: Mapping[str, Price]
    """Names in full or in part."""

    def cost_usd(self, model: str, tokens: TokenUse) -> float | None:
        """Return what one call cost; None if the price of the model is not known."""
        fitting = [prefix for prefix in self.by_prefix if model.startswith(prefix)]
        return self.by_prefix[max(fitting, key=len)].cost_usd(tokens) if fitting else None


PUBLISHED = Prices(
    {
        "claude-sonnet-5-5": Price(
            rates=Rates(input=2.0, cache_write=2.5, cache_read=0.2, output=10.0)
        ),
        "claude-haiku-5-5": Price(
            rates=Rates(input=0.1, cache_write=0.125, cache_read=0.01, output=0.5),
            above_tokens=100_000,
            rates_above=Rates(input=0.5, cache_write=0.625, cache_read=0.05, output=2.5),
        ),
    }
)
"""List prices of Anthropic's API for the models that are used unless others are set."""

UNKNOWN = Prices({})
"""No price is known."""


def prices_from(setting: str | None, *, known: Prices = PUBLISHED) -> Prices:
    """Return the known prices with those of the setting in front of them.

    Args:
        setting: JSON, or the path of a file with JSON; None: nothing is set. Blocks on the file.
        known: What holds without a setting.

    Raises:
        ConfigError: It is none of them; the message names the variable.
    """
    if setting is None:
        return known
    try:
        written = setting if setting.startswith("{") else Path(setting).expanduser().read_text()
        table = json.loads(written)
        return Prices({**known.by_prefix, **{name: _price(one) for name, one in table.items()}})
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        problem = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
        raise ConfigError(
            'CITEBOUND_PRICES: expected {"model": {"input": ..., "cache_write": ...,'
            f' "cache_read": ..., "output": ...}}}} or a file with it, got {problem}'
        ) from error


def _price(given: Any) -> Price:
    above = given.get("above")
    return Price(
        rates=_rates(given),
        above_tokens=int(above["tokens"]) if above else None,
        rates_above=_rates(above) if above else None,
    )


def _rates(given: Any) -> Rates:
    values = cast("Mapping[str, Any]", given)
    if unknown := set(values) - {*_KINDS, "above", "tokens"}:
        raise ValueError(f"unknown {', '.join(sorted(unknown))}")
    rates = [float(values[kind]) for kind in _KINDS]
    if not all(math.isfinite(rate) and rate >= 0 for rate in rates):
        raise ValueError("a price is a number from 0")
    return Rates(**dict(zip(_KINDS, rates, strict=True)))

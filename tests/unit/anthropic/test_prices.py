"""What calls cost: published prices, a setting before them, None where nothing is known."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.api.providers import PUBLISHED, UNKNOWN, prices_from
from core.domain.errors import ConfigError
from core.domain.run import TokenUse

counts = st.integers(0, 200_000)
tokens = st.builds(TokenUse, fresh=counts, cache_read=counts, cache_write=counts, output=counts)
MINE = {"input": 1, "cache_write": 2, "cache_read": 0.5, "output": 4}


def test_known_costs() -> None:
    """1,000 fresh at $2, 8,000 from the cache at $0.20, 2,000 into it at $2.50, 500 out at $10."""
    used = TokenUse(fresh=1_000, cache_read=8_000, cache_write=2_000, output=500)
    assert PUBLISHED.cost_usd("claude-sonnet-5-5", used) == pytest.approx(
        0.002 + 0.0016 + 0.005 + 0.005
    )


def test_long_prompts_have_rates_of_their_own() -> None:
    """Haiku costs five times as much above 100,000 tokens read, the cached ones among them."""
    short = TokenUse(fresh=50_000, cache_read=50_000, output=100)
    long = TokenUse(fresh=50_001, cache_read=50_000, output=100)
    model = "claude-haiku-5-5"
    assert PUBLISHED.cost_usd(model, short) == pytest.approx(0.005 + 0.0005 + 0.00005)
    assert PUBLISHED.cost_usd(model, long) == pytest.approx(5 * 0.00555 + 0.5e-6)


def test_an_unknown_model_has_no_cost() -> None:
    """Not 0: nothing is known."""
    used = TokenUse(fresh=1, output=1)
    assert PUBLISHED.cost_usd("claude-next", used) is None
    assert UNKNOWN.cost_usd("claude-sonnet-5-5", used) is None


@pytest.mark.parametrize("as_file", [True, False])
def test_a_setting_goes_before_what_is_known(tmp_path: Path, as_file: bool) -> None:
    """JSON or a file; the longest fitting name counts, and the others stay as published."""
    table = {"claude-sonnet": MINE | {"input": 7}, "claude-sonnet-5-5-eu": MINE}
    setting = json.dumps(table)
    if as_file:
        (tmp_path / "prices.json").write_text(setting)
        setting = str(tmp_path / "prices.json")
    prices = prices_from(setting)
    used = TokenUse(fresh=1_000_000)
    assert prices.cost_usd("claude-sonnet-5-5-eu", used) == 1
    assert prices.cost_usd("claude-sonnet-5-5", used) == 2
    assert prices.cost_usd("claude-sonnet-9", used) == 7
    assert prices.cost_usd("claude-haiku-5-5", used) == 0.5


def test_the_setting_may_have_tiers() -> None:
    """`above` has the rates of long prompts."""
    above = {"tokens": 10, "input": 9, "cache_write": 9, "cache_read": 9, "output": 9}
    prices = prices_from(json.dumps({"m": MINE | {"above": above}}))
    assert prices.cost_usd("m", TokenUse(fresh=10)) == pytest.approx(10e-6)
    assert prices.cost_usd("m", TokenUse(fresh=11)) == pytest.approx(99e-6)


@pytest.mark.parametrize(
    "setting",
    [
        "no/such/file",
        "{",
        '{"m": 3}',
        '{"m": {"input": 1}}',
        json.dumps({"m": MINE | {"output": -1}}),
        json.dumps({"m": MINE | {"output": "much"}}),
        json.dumps({"m": MINE | {"cache_wirte": 1}}),
    ],
)
def test_a_table_that_is_none_is_refused(setting: str) -> None:
    """The message names the variable, in one line."""
    with pytest.raises(ConfigError, match=r"^CITEBOUND_PRICES: .*[^\n]$"):
        prices_from(setting)


@given(model=st.sampled_from(["claude-sonnet-5-5", "claude-haiku-5-5"]), one=tokens, two=tokens)
def test_more_tokens_never_cost_less(model: str, one: TokenUse, two: TokenUse) -> None:
    """Costs are from 0 and grow with each kind of token."""
    more = TokenUse(
        fresh=one.fresh + two.fresh,
        cache_read=one.cache_read + two.cache_read,
        cache_write=one.cache_write + two.cache_write,
        output=one.output + two.output,
    )
    first, second = PUBLISHED.cost_usd(model, one), PUBLISHED.cost_usd(model, more)
    assert first is not None
    assert second is not None
    assert 0 <= first <= second

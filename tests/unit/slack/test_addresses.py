"""What a client might open is broken; what people write is left alone."""

import time

import pytest

from bot.replies.safe_text import (
    clean,
    cut,
    defanged,
    is_trusted,
    line,
    pieces,
    short,
    shown,
    width,
)

HOSTS = frozenset({"policies.example.com"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://evil.com/x", "https[:]//evil[.]com/x"),
        ("ftp://evil.com", "ftp[:]//evil[.]com"),
        ("https:\\\\evil.com", "https[:]\\\\evil[.]com"),
        ("www.evil.co.uk", "www[.]evil[.]co[.]uk"),
        ("a@evil.com", "a@evil[.]com"),
        ("evil.com.", "evil[.]com."),
        ("evil\u3002com", "evil[.]com"),
        ("\uff45vil\uff0ecom", "\uff45vil[.]com"),
        ("xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd[.]xn--p1ai"),
        ("93.184.216.34", "93[.]184[.]216[.]34"),
        ("1.1.1.1/x", "1[.]1[.]1[.]1/x"),
        ("javascript:alert(1)", "javascript[:]alert(1)"),
        ("xmailto:a@evil.com", "xmailto[:]a@evil[.]com"),
        ("xjavascript:alert(1)", "xjavascript[:]alert(1)"),
        ("data:text/html,x", "data[:]text/html,x"),
        ("[x](y)", "[x] (y)"),
        ("<!here> <@U1> <#C1>", "< !here> < @U1> < #C1>"),
        ("policies.example.com", "policies[.]example[.]com"),
        ("https://policies.example.com/a?b=c.d", "https://policies.example.com/a?b=c.d"),
        ("https://policies.example.com.evil.com", None),
        ("https://policies.example.com@evil.com", None),
        ("https://policies.example.com:443/", None),
        ("http://policies.example.com/", None),
        ("xhttps://policies.example.com/", None),
    ],
)
def test_addresses_are_broken(text: str, expected: str | None) -> None:
    """All but whole addresses at the company's own hosts."""
    found = defanged(text, HOSTS)
    assert "://" not in found if expected is None else found == expected


@pytest.mark.parametrize(
    "text",
    [
        "See \u00a74.2.1.3, Art. 5 and Annex A.2; e.g. gifts, i.e. vouchers.",
        "USD 1,000.50 by 10.30am, v1.2, No.5, z.B. das, p.m.",
        "Use form gifts.pdf or limits.xlsx.",
        "Types of data: names. Note: x < y and a/b, 50% or 3:1.",
        "\u653f\u7b56\u3002\u5458\u5de5\u5fc5\u987b\u3002",
        "[1][2] (see section 3) and #4, e-mail or tel. 112, hotel:5",
    ],
)
def test_what_people_write_is_left_alone(text: str) -> None:
    """Numbers of sections, amounts, abbreviations, files."""
    assert shown(text, HOSTS) == text


@pytest.mark.parametrize("text", ["https://policies.example.com/x y", "//policies.example.com", ""])
def test_only_whole_addresses_are_trusted(text: str) -> None:
    """With their scheme, and nothing behind them."""
    assert not is_trusted(text, HOSTS)


def test_what_is_not_seen_is_taken_out() -> None:
    """Tags, bidirectional controls, zero width; joiners stay where spelling needs them."""
    assert clean("a\u202eb\U000e0041c\u200bd\u00ade\x1bf\ud800") == "abcdef"
    assert clean("\u0646\u200c\u0627 \U0001f469\u200d\U0001f4bb ev\u200dil") == (
        "\u0646\u200c\u0627 \U0001f469\u200d\U0001f4bb evil"
    )
    assert shown("evil\u200b.\u2060com") == "evil[.]com"


def test_right_to_left_is_set_apart() -> None:
    """So that what stands around it keeps its order."""
    assert line("\u05e9\u05dc\u05d5\u05dd\n 1") == "\u2068\u05e9\u05dc\u05d5\u05dd 1\u2069"
    assert width(line("\u05e9" * 99, limit=10)) == 10


def test_what_is_cut_is_marked() -> None:
    """Whole characters, at most so many UTF-16 units."""
    assert cut("abcdef", 4) == "abc\u2026"
    assert cut("\U0001f600" * 3, 5) == "\U0001f600" * 2 + "\u2026"
    assert short("x" * 100, 10) == "x" * 9 + "\u2026"
    assert short("\u200b" * 500 + "x", 10) == "\u2026"
    assert short("x" * 10, 10) == "x" * 10
    assert "".join(pieces("ab cd " * 1_000, 100)) == "ab cd " * 1_000
    assert max(map(width, pieces("\U0001f600" * 100, 7))) <= 7


@pytest.mark.parametrize("text", ["x", "a.", "://", "<!", "](", "-", "data:", "1.", "\u200d", "[."])
def test_long_texts_are_read_once(text: str) -> None:
    """100 kB take a fraction of a second."""
    began = time.process_time()
    shown(text * (100_000 // len(text)), HOSTS)
    assert time.process_time() - began < 2

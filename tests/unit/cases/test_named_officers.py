"""Which officers a report names."""

import time

import pytest

from core.cases.named_officers import kept_from
from core.domain.officers import Account, Officer, Officers

OLGA = Officer(
    login="olga.m",
    name="Olga Müller",
    accounts=(Account(platform="slack", tenant="T1", person="U1AA"),),
)
WILL = Officer(login="will@example.com", name="Will de Groot")
SOREN = Officer(login="sn", name="Søren Ng")
ALL = Officers(all=(OLGA, WILL, SOREN))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("Olga takes bribes", {OLGA}),
        ("my boss and olga share it", {OLGA}),
        ("OLGA\u2019S brother got it", {OLGA}),
        ("Das ist Olgas Firma", {OLGA}),
        ("Mueller pays himself", {OLGA}),
        ("Muler pays himself", {OLGA}),
        ("Olgą znam", {OLGA}),
        ("our compliance officer Olga lies", {OLGA}),
        ("<@U1AA> lies", {OLGA}),
        ("<@U1AAB> lies", set[Officer]()),
        ("it was olga.m", {OLGA}),
        ("write to Will@Example.com", {WILL}),
        ("Will steals", {WILL}),
        ("my manager will steal", set[Officer]()),
        ("my boss de Vries", set[Officer]()),
        ("so\u0308ren lies", {SOREN}),
        ("ng lies", {SOREN}),
        ("Olga and Will lie", {OLGA, WILL}),
        ("Our compliance officer takes bribes", {OLGA, WILL, SOREN}),
        ("Dear compliance officer, my manager lies", set[Officer]()),
        ("", set[Officer]()),
    ],
)
def test_whom_a_report_names(words: str, named: set[Officer]) -> None:
    """In any case and spelling, by part of the name, login, mention or role."""
    logins = {officer.login for officer in named}
    assert {one.login for one in ALL.all} & kept_from(ALL, [words]) == logins


@pytest.mark.parametrize(
    "piece", ["a", "Aa ", "our ", "our compliance ", "\u00e9", "compliance officer ", "Olg"]
)
def test_a_long_report_is_read_in_linear_time(piece: str) -> None:
    """Processor time of 8,000 characters and of eight times as many."""

    def seconds(length: int) -> float:
        words = (piece * length)[:length]
        began = time.process_time()
        kept_from(ALL, [words])
        return time.process_time() - began

    seconds(8_000)
    assert seconds(64_000) < 30 * max(seconds(8_000), 0.005)

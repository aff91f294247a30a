"""Greetings, thanks and "what can you do": no questions; and greetings before a question."""

import time

import pytest

from core.agent.small_talk import SmallTalk, small_talk, without_greeting


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hi", SmallTalk.GREETING),
        ("hello there", SmallTalk.GREETING),
        ("Hey team!", SmallTalk.GREETING),
        ("Good morning :wave:", SmallTalk.GREETING),
        ("hi, how are you?", SmallTalk.GREETING),
        ("test", SmallTalk.GREETING),
        ("thanks", SmallTalk.THANKS),
        ("thx!", SmallTalk.THANKS),
        ("ok, thanks a lot", SmallTalk.THANKS),
        ("got it", SmallTalk.THANKS),
        ("what can you do", SmallTalk.HELP),
        ("Help", SmallTalk.HELP),
        ("hi can you help me?", SmallTalk.HELP),
        ("Who are you?", SmallTalk.HELP),
    ],
)
def test_small_talk_is_known(text: str, kind: SmallTalk) -> None:
    """Whatever the case, the marks and the emoji."""
    assert small_talk(text) is kind


@pytest.mark.parametrize(
    "text",
    [
        "help me with my travel expense",
        "hello, can I accept a gift?",
        "thanks, and for contractors?",
        "yes",
        "no",
        "Test the backup?",
        "Germany",
        "2",
        "",
        "\U0001f44b",
        "what can contractors do",
        "hi " * 60,
    ],
)
def test_what_says_more_is_no_small_talk(text: str) -> None:
    """A question, a reply and a report are never taken for small talk."""
    assert small_talk(text) is None


def test_an_ok_may_be_the_answer() -> None:
    """Whoever was asked something may mean it; thanks never answer."""
    assert small_talk("ok", is_asked_back=True) is None
    assert small_talk("thanks", is_asked_back=True) is SmallTalk.THANKS


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("hi all, quick one: can I accept a gift?", "can I accept a gift?"),
        ("Hello! May I take wine?", "May I take wine?"),
        ("hi Anna, what's the limit", "what's the limit"),
        ("quick question - what is the limit?", "what is the limit?"),
        ("Hi team, hope you're well. Can I accept a voucher?", "Can I accept a voucher?"),
        ("hey can i work from spain", "can i work from spain"),
        ("question of gifts", "question of gifts"),
        ("please tell me the limit", "please tell me the limit"),
        ("hello world", "hello world"),
        ("hi", "hi"),
    ],
)
def test_a_greeting_is_no_part_of_the_question(text: str, left: str) -> None:
    """It goes only where it is one, and only where a question is left."""
    assert without_greeting(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "hi " * 2_600,
        "hi," * 2_600,
        "sorry for the " * 570,
        "thanks " * 1_100,
        " " * 8_000,
        "Hi A" + "a" * 8_000,
    ],
)
def test_hostile_greetings_take_linear_time(text: str) -> None:
    """8,000 characters are read in a fraction of a second of CPU time."""
    began_s = time.process_time()
    without_greeting(text)
    small_talk(text)
    assert time.process_time() - began_s < 1.0

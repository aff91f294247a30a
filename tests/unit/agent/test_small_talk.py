"""Greetings, thanks and "what can you do": no questions; and greetings before a question."""

import time

import pytest

from core.agent.conversation.small_talk import LONGEST, SmallTalk, small_talk, without_greeting


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
        ("Guten Tag!", SmallTalk.GREETING),
        ("Vielen Dank", SmallTalk.THANKS),
        ("Danke schön!", SmallTalk.THANKS),
        ("Was können Sie?", SmallTalk.HELP),
        ("what can you do", SmallTalk.HELP),
        ("Help", SmallTalk.HELP),
        ("hi can you help me?", SmallTalk.HELP),
        ("Who are you?", SmallTalk.IDENTITY),
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


GREETINGS = """
hi; hiii; hello; hey; hiya; yo; howdy; hallo; moin; servus; greetings; good morning
good afternoon; good evening; Good day; hi there; hi all; hello everyone; hey everybody
hi folks; hey guys; hi bot; hello again; hi compliance; hey citebound; hi you; hi y'all
how are you; how's it going; hows it going?; how is it going; how are things; how do you do
nice to meet you; what's up; whats up; sup; how are you today; how are you doing?; testing
just a test; test message; ping; are you there?; are you here; are you online; are you awake
are you up; is anyone there?; anybody here; any one there; is someone there; I have a question
i have a quick question; I have some questions for you; can I ask you something?
may i ask a question; can I ask a quick question; quick question; question
"""
HELPS = """
help; /help; help me; need help; I need some help; i need your help; how does this work
how does it work?; how does this bot work; how do you work; what can you do for me
what do you do?; what could you do; what can this bot do; what does it do?; what can you answer
what do you know; what can you do for us; what can i ask; what can I do here; what can i ask you
what can I use it for; what can i ask about
what are you for; what is this; what is this bot; what is this for?; what's this bot
can you help; how can you help me; could you help us; how do you help; can you help me with this
can you help with something; how can I use you; how do i use this
how should I use it
"""
IDENTITIES = """
who are you; who r u; what are you; what r u; are you a bot; are you a robot?; are you human
are you a real person; are you an AI; are you real; r u a human being; wer bist du; was sind Sie?
"""
THANKS = """
thanks; thank you; thank u; thankyou; ok thanks; okay, thanks; many thanks; great, thanks; thx
tx; tnx; ty; cheers; danke; merci; much appreciated; appreciate it; appreciated; thanks so much
thank you very much; thanks a lot; thanks a million; thanks a bunch; thanks again; thanks all
thanks everyone; thanks in advance; thanks for the help; thanks for your time; thanks for that
thanks for this; thank you you; ok; okay; hm; hmm; mm; k; kk; got it; understood; cool; great
perfect; nice; awesome; super; makes sense; alright; all good; good to know; that helps
very helpful; good bot; bye; bye bye; goodbye; see you; see you later; have a nice day
have a good one; have a great weekend; have a good evening; lol; haha; wow; nevermind
never mind; nvm; no thanks; that's all; thats all; that is all; sorry
"""


def _listed(text: str, kind: SmallTalk) -> list[tuple[str, SmallTalk]]:
    return [
        (one.strip(), kind) for line in text.split("\n") for one in line.split(";") if one.strip()
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *_listed(GREETINGS, SmallTalk.GREETING),
        *_listed(HELPS, SmallTalk.HELP),
        *_listed(IDENTITIES, SmallTalk.IDENTITY),
        *_listed(THANKS, SmallTalk.THANKS),
    ],
)
def test_every_wording_counts_alone_and_after_a_greeting(text: str, kind: SmallTalk) -> None:
    """And is a question as soon as it says what it is about."""
    assert small_talk(text) is kind
    assert small_talk(f"{text.upper()} !!") is kind
    if kind is not SmallTalk.THANKS:
        assert small_talk(f"hello, {text}") is kind
    assert small_talk(f"{text} gifts from suppliers") is None
    assert small_talk(f"gifts {text}") is None


@pytest.mark.parametrize(
    "text",
    [
        "Can you help me with the gift register?",
        "what can I do about a late expense report",
        "who are you allowed to accept gifts from",
        "is anyone there allowed to sign",
        "what is this clause for",
        "I have a question about gifts",
        "thanks for the gift, may I keep it",
        "thanks, but no",
        "no",
        "nope",
        "sure",
        "yes please",
        "good",
        "good question",
        "have a look",
        "have a nice gift",
        "testing policy",
        "test plan",
        "pingpong",
        "highlight",
        "historic",
        "help desk",
        "hello kitty pens",
        "see you in court",
        "sorry for my late report",
        "super user access",
        "cool box",
        "bye-laws",
        "ok computer",
        "never",
        "how do you do a risk assessment",
        "what do you know about gifts",
        "are you a public official",
        "are you online shopping",
        "real estate",
        "?",
        "...",
        ":wave:",
        "1",
        "Berlin",
    ],
)
def test_what_only_begins_like_small_talk_is_none(text: str) -> None:
    """A word more makes it a question, a report or an answer, which must not be lost."""
    assert small_talk(text) is None


def test_more_than_small_talk_is_never_read_as_it() -> None:
    """However it begins: what is longer than small talk is read as a question."""
    greeting = "hi " * (LONGEST // 3)
    assert small_talk(greeting) is SmallTalk.GREETING
    assert small_talk(f"{greeting}hi") is None


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
        ("Hello! gift limit", "Gift limit"),
        ("Hello! gifts?", "Hello! gifts?"),
        ("how are you? what is the limit", "what is the limit"),
        ("just a quick one from me: who approves gifts", "who approves gifts"),
        ("sorry, another stupid question here - who pays", "who pays"),
        ("I have a question for you: who pays", "Who pays"),
        ("got another question about this, who pays", "who pays"),
        ("sorry to bother you, who pays", "who pays"),
        ("sorry for asking again: who pays", "who pays"),
        ("I hope you are all well. who pays", "Who pays"),
        ("hope everyone is doing well, who pays", "who pays"),
        ("can someone help me with this? who pays", "who pays"),
        ("Thanks in advance! who pays", "Who pays"),
        ("please: who pays", "who pays"),
        ("another gift came in, who pays", "another gift came in, who pays"),
        ("Sorry for the late report of a gift", "Sorry for the late report of a gift"),
        ("high limits, who pays", "high limits, who pays"),
        ("short check of expenses, who pays", "short check of expenses, who pays"),
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

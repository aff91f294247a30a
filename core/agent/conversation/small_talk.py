"""What people write before, after or instead of a question: greetings, thanks, "what can you do".

Small talk is answered in fixed words: it is no question, uses up no question back, opens no case,
and what follows it goes on with what was asked before it. A greeting before a question is no part
of the question. Pure; the time is linear in the message.
"""

import re
from enum import StrEnum

from core.expressions import expression


class SmallTalk(StrEnum):
    """What a message is that asks nothing of the policies."""

    GREETING = "greeting"
    HELP = "help"
    IDENTITY = "identity"
    THANKS = "thanks"


LONGEST = 120
"""Characters: more says more than small talk."""
_LEAST = 2
"""Words that a question has at least behind a greeting."""
_TO = r"there|all|everyone|everybody|team|folks|guys|bot|again|compliance|citebound|you|y'all"
_GREETS = (
    r"(?:hi+|hello+|hey+|hiya|yo|howdy|hallo|moin|servus|greetings|guten (?:morgen|tag"
    rf"|abend)|grüß gott|good (?:morning|afternoon|evening|day))(?:\s+(?:{_TO})\b)*"
)
_HOW = (
    r"(?:how are you|how's it going|hows it going|how is it going|how are things|how do you do"
    r"|nice to meet you|what's up|whats up|sup)(?: today| doing)?"
)
_TESTS = (
    r"(?:just )?(?:a )?(?:test(?:ing)?(?: message)?|ping|are you (?:there|here|online|awake|up)"
    r"|(?:is )?(?:any ?(?:one|body)|someone) (?:there|here)|i have (?:a|one|some) (?:quick )?"
    r"questions?(?: for you)?|(?:can|may) i ask (?:you )?(?:something|a (?:quick )?question)"
    r"|quick question|question)"
)
_HELPS = (
    r"/?help(?: me)?|(?:i )?need (?:some |your )?help|how (?:does (?:this|it)(?: bot)?|do you) work"
    r"|what (?:can|do|does|could) (?:you|this bot|it|this) (?:do|know|answer)(?: for me| for us)?"
    r"|what can i (?:ask|do|use)(?: you| it| this)?(?: for| here| about)?"
    r"|what (?:are|r) (?:you|u) for|what is this(?: bot)?(?: for)?|what's this(?: bot)?"
    r"|(?:how )?(?:can|could|do) you help(?: me| us)?(?: with (?:this|something))?"
    r"|how (?:can|do|should) i use (?:you|this|it)|hilfe|was (?:kannst du|können sie|machst du)"
    r"(?: alles)?|wie funktioniert (?:das|dieser bot|der bot)"
)
_IS = (
    r"(?:who|what) (?:are|r) (?:you|u)|(?:wer|was) (?:bist du|sind sie)"
    r"|(?:are|r) (?:you|u) (?:an? )?"
    r"(?:(?:ro)?bot|human(?: being)?|(?:real )?person|ai|real|machine)"
)
_THANKS = (
    r"(?:ok(?:ay)? |many |great,? )?(?:thank(?:s| ?you| ?u)|thx|tx|tnx|ty|cheers"
    r"|(?:vielen |besten )?dank|danke(?: schön| sehr)?|merci"
    r"|much appreciated|appreciate it|appreciated)(?: (?:so|very) much| a (?:lot|million|bunch)"
    r"| again| all| everyone| in advance| for (?:the|your|that|this)(?: \w+)?| you)*"
)
_DONE = (
    r"(?:ok(?:ay)?|h?m+|k|kk|got it|understood|cool|great|perfect|nice|awesome|super"
    r"|makes sense|alright|all good|good to know|that helps|very helpful|good bot|bye(?: bye)?"
    r"|goodbye|see you(?: later)?|have a (?:nice|good|great) (?:day|one|weekend|evening)|lol"
    r"|haha+|wow|never ?mind|nvm|no thanks|that's all|thats all|that is all|sorry)"
)
_END = r"(?!\w)[\s\W]*+"


def _only(*parts: str) -> re.Pattern[str]:
    return expression(rf"\A[\s\W]*+(?>(?>(?:{'|'.join(parts)}){_END})+)", re.IGNORECASE)


_KINDS: tuple[tuple[SmallTalk, re.Pattern[str]], ...] = (
    (SmallTalk.GREETING, _only(_GREETS, _HOW, _TESTS)),
    (SmallTalk.HELP, _only(_GREETS, _HELPS)),
    (SmallTalk.IDENTITY, _only(_GREETS, _IS)),
    (SmallTalk.THANKS, _only(_THANKS, _DONE)),
)
_ACKNOWLEDGES = _only(_DONE)
_EMOJI = expression(r":[a-z0-9_+-]{1,40}:")
_APOSTROPHE = str.maketrans({"\u2019": "'", "\u2018": "'"})
_OPENING = expression(
    r"\A[\s\W]*+(?>(?>(?:"
    rf"{_GREETS}(?:,? (?-i:[A-Z])[\w-]+(?=\s*[,!:\u2013-]))?|{_HOW}"
    r"|(?:just |sorry,? )?(?:a |one |another |maybe a |probably a )?"
    r"(?:quick|small|short|dumb|stupid|silly|newbie|basic|random|naive)"
    r" (?:one|question|q|thing|check)(?: for you| from me| here| again)?"
    r"|(?:i have |got )?(?:a|one|another) question(?: for you| from me| about this)?"
    r"|question|sorry (?:to (?:bother|disturb|ask)|for (?:the|a|asking|bothering)[\w ]{0,30})"
    r"(?: you)?"
    r"|(?:i )?hope (?:you're|you are|youre|all is|everyone is|everybody is) (?:all )?"
    r"(?:well|good|fine|great|doing well)"
    r"|(?:can|could) (?:someone|anyone|you) help(?: me)?(?: with this)?"
    rf"|{_THANKS}|pls|please"
    r")(?!\w)\s*(?:[,.!:;?\u2013\u2014-]+\s*|(?=\s|$)))+)",
    re.IGNORECASE,
)
"""Greetings and excuses at the beginning of a message."""
_SURELY = expression(
    r"[,.!:;?\u2013\u2014-]\s*$|^[\s\W]*(?:hi+|hello+|hey+|hiya|good (?:m|a|e))", re.IGNORECASE
)
"""What shows that an opening is one: a mark at its end, or a greeting."""
_WORD = expression(r"\w+")


def small_talk(text: str, *, is_asked_back: bool = False) -> SmallTalk | None:
    """Say which small talk a message is; None if it says more than that.

    Args:
        text: The message.
        is_asked_back: True: we asked its writer something, so that "ok" may be the answer.
    """
    said = _EMOJI.sub(" ", text.translate(_APOSTROPHE)).strip()
    if len(said) > LONGEST:
        return None
    if is_asked_back and _ACKNOWLEDGES.fullmatch(said):
        return None
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(said)), None)


def without_greeting(text: str) -> str:
    """Return a message without the greetings and excuses that it begins with.

    As it is, if too little is left for a question.
    """
    opening = _OPENING.match(text)
    if opening is None or not _SURELY.search(opening[0]):
        return text
    rest = text[opening.end() :].lstrip()
    if len(_WORD.findall(rest)) < _LEAST:
        return text
    return rest[0].upper() + rest[1:] if text[:1].isupper() else rest

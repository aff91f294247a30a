"""What the writer of a report is told of it: its code, how far it is, and what officers wrote."""

from collections.abc import Iterator
from datetime import tzinfo
from functools import partial

from bot.replies.case_texts import COMPLIANCE, STATES, case_name, clock_facts
from bot.replies.notices import SUBJECT, SUBJECT_LINES, day_text
from bot.replies.safe_text import line, pieces
from core.cases.returning import ReportStatus
from core.cases.written import plain
from core.language.interface.texts import Text
from core.language.languages import Language

CODE = Text(
    " Your case code is {code}. I show it only now: keep it in a safe place. Sent to me in a direct"
    " message, from any account, it shows how far your report is; what you write in the same"
    " message goes to Compliance. Nobody learns from whom it came. An earlier code works no more.",
    " Ihr Fallcode ist {code}. Ich zeige ihn nur jetzt: Heben Sie ihn gut auf. Als Direktnachricht"
    " an mich, von jedem Konto, zeigt er den Stand Ihrer Meldung; was Sie in derselben Nachricht"
    " schreiben, geht an Compliance. Niemand erfährt, von wem es kam. Ein früherer Code gilt nicht"
    " mehr.",
)
ANSWER_WITH_CODE = Text(
    "To answer, send me your case code and your answer in one message. An officer whom it names no"
    " longer gets your report.",
    "Um zu antworten, senden Sie mir Ihren Fallcode und Ihre Antwort in einer Nachricht. Wen Sie"
    " darin bei Compliance nennen, der erhält Ihre Meldung nicht mehr.",
)
WRONG_CODE = Text(
    "I know no report with this code. After several wrong codes I look none up for a while.",
    "Zu diesem Code kenne ich keine Meldung. Nach mehreren falschen prüfe ich eine Weile keinen.",
)
IN_PRIVATE = Text(
    "A case code is a secret: please delete it there, and use it in a direct message only.",
    "Ein Fallcode ist geheim: Bitte löschen Sie ihn dort, und nutzen Sie ihn nur als"
    " Direktnachricht.",
)
_YOU = Text("You", "Sie")
_RECEIVED = Text("received {at}", "eingegangen {at}")
_WAYS = Text("You can also turn to: {ways}", "Sie erreichen auch: {ways}")


def code_lines(
    status: ReportStatus | None, language: Language, zone: tzinfo, *, is_alone: bool = True
) -> list[str]:
    """Return what answers a code, line by line; `None`: the code is wrong.

    Nothing in it is live. `is_alone` is False where others could read the code.
    """
    told = [WRONG_CODE.of(language)] if status is None else _lines(status, language, zone)
    return [*told, *([] if is_alone else [IN_PRIVATE.of(language)])]


def code_posts(lines: list[str]) -> list[str]:
    """Return lines as the subjects of as few notices as hold them."""
    starts = range(0, len(lines), SUBJECT_LINES)
    return ["\n".join(lines[at : at + SUBJECT_LINES]) for at in starts]


def _lines(status: ReportStatus, language: Language, zone: tzinfo) -> Iterator[str]:
    case, moment = status.case, partial(day_text, language=language, zone=zone)
    received = _RECEIVED.of(language).format(at=moment(case.opened_at))
    facts = (STATES[case.state].of(language), received, *clock_facts(case.clock, language, moment))
    yield " · ".join((case_name(case.number, language), *facts))
    for said in case.messages:
        who = (COMPLIANCE if said.officer else _YOU).of(language)
        text = line(plain(said.text) if said.officer else said.text)
        yield from pieces(f"{who}, {moment(said.at)}: {text}", SUBJECT - 20)
    if status.ways:
        yield line(_WAYS.of(language).format(ways="; ".join(status.ways)), limit=SUBJECT)
    yield ANSWER_WITH_CODE.of(language)

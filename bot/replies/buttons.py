"""The buttons of a reply: which ones, in which order, with which words.

Platforms draw them and give them their ids. All of it follows from what is stored, so that a button
pressed later still means what it said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Literal, TypeAlias

from bot.replies.safe_text import line
from core.agent.policy_facts.question_forms import asks_for_summary
from core.agent.wording import ALL_OPTION
from core.domain.answer import Answer, Outcome, RefusalKind
from core.domain.case import NO_CLOCK, Case, CaseReminder, CaseState, ReportDue
from core.domain.delivery import EVERY_CASE
from core.domain.question import ALL
from core.language.interface.texts import Text, as_it_is
from core.language.languages import Language

FOR_ALL = Text("Not sure - answer for all", "Weiß ich nicht - für alle beantworten")
_OPTION = Text("Option {number}", "Option {number}")
SUGGESTED = 2
ABOUT = "metadata"
"""Feature of an answer about a policy itself, which suggests nothing more of the kind."""
LONGEST = 75
"""Characters: what a button shows whole."""


class Act(StrEnum):
    """What a button does."""

    EVIDENCE = "evidence"
    ESCALATE = "escalate"
    REPORT = "report"
    ANSWERS = "answers"
    SHARE = "share"
    REMOVE = "remove"
    SHOW = "show"
    CASE_CLAIM = "case_claim"
    CASE_ANSWER = "case_answer"
    CASE_WRONG = "case_wrong"
    CASE_PARTLY = "case_partly"
    CASE_RIGHT = "case_right"
    CASE_ACKNOWLEDGE = "case_acknowledge"
    CASE_CLOSE = "case_close"
    CASE_ACCEPT = "case_accept"
    CASE_AGAIN = "case_reopen"
    TELL_ASKERS = "affected_approve"


class Emphasis(Enum):
    """How a button stands out."""

    MAIN = auto()
    DANGER = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button, to be drawn."""

    act: Act
    text: Text
    label: Text | None = None
    """What a screen reader says, where a platform has that; None: the text."""
    emphasis: Emphasis | None = None


ANSWERS_IT = Button(
    act=Act.ANSWERS,
    text=Text("This answers it", "Das beantwortet es"),
    label=Text(
        "Say that this passage answers your question",
        "Mitteilen, dass diese Stelle die Frage für Sie beantwortet",
    ),
)
SHARE = Button(
    act=Act.SHARE,
    text=Text("Share in channel", "Im Channel teilen"),
    label=Text("Show this answer to the whole channel", "Diese Antwort dem ganzen Channel zeigen"),
)
REMOVE = Button(act=Act.REMOVE, text=Text("Remove this answer", "Diese Antwort entfernen"))
SHOW = Button(act=Act.SHOW, text=Text("Show answer", "Antwort anzeigen"))
ASK_IN_PRIVATE = Button(
    act=Act.ESCALATE, text=Text("Ask Compliance in private", "Compliance vertraulich fragen")
)
CLAIM = Button(act=Act.CASE_CLAIM, text=Text("Claim", "Übernehmen"), emphasis=Emphasis.MAIN)
ANSWER = Button(act=Act.CASE_ANSWER, text=Text("Answer", "Antworten"))
MARK_RIGHT = Button(act=Act.CASE_RIGHT, text=Text("Answer is right", "Antwort ist richtig"))
MARK_PARTLY = Button(act=Act.CASE_PARTLY, text=Text("Partly right", "Teilweise richtig"))
MARK_WRONG = Button(
    act=Act.CASE_WRONG,
    text=Text("Mark answer wrong", "Antwort ist falsch"),
    emphasis=Emphasis.DANGER,
)
ACKNOWLEDGE = Button(
    act=Act.CASE_ACKNOWLEDGE, text=Text("Acknowledge receipt", "Eingang bestätigen")
)
CLOSE = Button(act=Act.CASE_CLOSE, text=Text("Close", "Schließen"))
TELL_ASKERS = Button(
    act=Act.TELL_ASKERS,
    text=Text("Tell the askers", "Fragende informieren"),
    label=Text(
        "Answer these questions again, and tell the askers whose answer has changed",
        "Diese Fragen neu beantworten und informieren, wer jetzt eine andere Antwort bekommt",
    ),
    emphasis=Emphasis.MAIN,
)
ACCEPT = Button(act=Act.CASE_ACCEPT, text=Text("That answers it", "Das beantwortet es"))
ASK_AGAIN = Button(act=Act.CASE_AGAIN, text=Text("Ask again", "Nachfragen"))
EVIDENCE = Button(act=Act.EVIDENCE, text=Text("Show evidence", "Belege anzeigen"))
REPORT = Button(act=Act.REPORT, text=Text("Report a problem", "Problem melden"))
_ASK = Text("Ask Compliance", "Compliance fragen")
_ADD = Text("Add to case {number}", "Fall {number} ergänzen")
_HAND_OVER = Text(
    "Send this question to a compliance officer",
    "Diese Frage an Compliance-Beauftragte weitergeben",
)


def answer_buttons(answer: Answer, *, may_share: bool) -> Iterator[Button]:
    """Yield the buttons of an answer, except those that rate and remove it.

    Where somebody reads who may not ask there are none: they could use none of them.
    """
    if answer.refusal is RefusalKind.NOT_PERMITTED:
        return
    is_answered = answer.outcome is Outcome.ANSWERED
    if answer.is_closest:
        yield from (ANSWERS_IT, _ask_compliance(answer), EVIDENCE)
        return
    if answer.citations:
        yield EVIDENCE
    yield _ask_compliance(answer, is_main=not is_answered and answer.case_number is None)
    if is_answered:
        yield REPORT
    if is_answered and may_share:
        yield SHARE


def _ask_compliance(answer: Answer, *, is_main: bool = False) -> Button:
    number = answer.case_number
    return Button(
        act=Act.ESCALATE,
        text=_ASK if number is None else _ADD.format(number=number),
        label=_HAND_OVER,
        emphasis=Emphasis.MAIN if is_main else None,
    )


def case_buttons(case: Case) -> Iterator[Button]:
    """Yield an officer's buttons; none once the case is answered or closed.

    To the writer of a report officers may write again.
    """
    clock = case.clock
    if case.state not in {CaseState.OPEN, CaseState.CLAIMED}:
        if case.state is CaseState.ANSWERED and clock != NO_CLOCK:
            yield ANSWER
        return
    if case.state is CaseState.OPEN or clock.is_escalated:
        yield CLAIM
    if ReportDue.ACKNOWLEDGEMENT in clock.owed:
        yield ACKNOWLEDGE
    yield ANSWER
    if case.answer is not None and case.answer.outcome is Outcome.ANSWERED and not case.verdict:
        yield from (MARK_RIGHT, MARK_PARTLY, MARK_WRONG)
    if not clock.owed:
        yield CLOSE


def reminder_buttons(reminder: CaseReminder) -> tuple[Button, ...]:
    """Return an officer's buttons below a reminder; none once the case is answered or closed."""
    if reminder.state is CaseState.OPEN or reminder.is_escalated:
        return CLAIM, ANSWER
    return (ANSWER,) if reminder.state is CaseState.CLAIMED else ()


def offers_all(answer: Answer) -> bool:
    """Say whether a clarification may be answered for every case at once."""
    return bool(answer.options) and answer.text.endswith(tuple(ALL_OPTION.each))


LISTED = 60
"""Options that a list to choose from holds."""
WHICH_ONE = Text("Which one?", "Welche Angabe trifft zu?")
"""Above such a list."""


def choices(
    answer: Answer, *, limit: int, most: int, language: Language = Language.ENGLISH
) -> Iterator[tuple[str, str]]:
    """Yield the options of a clarification: value, and words within a limit."""
    for number, option in enumerate(answer.options[:most]):
        unnamed = _OPTION.format(number=number + 1).of(language)
        yield str(number), line(option, limit=limit) or unnamed
    if offers_all(answer):
        yield ALL, FOR_ALL.of(language)


Chooser: TypeAlias = Literal["you", "named", "nobody"]
"""Who is said to have chosen: whoever reads it, somebody whose name stands before the words, or
nobody in particular."""
_CHOSE: Mapping[Chooser, Text] = {
    "you": Text("You chose ", "Sie haben gewählt: "),
    "named": Text(" chose ", " hat gewählt: "),
    "nobody": Text("Chosen: ", "Gewählt: "),
}
_ALL_CASES = Text(EVERY_CASE, "alle Fälle")


def chose_words(*, who: Chooser) -> tuple[Text, Text]:
    """Return what stands before and after what was chosen of a question back."""
    return _CHOSE[who], as_it_is(".")


def chosen_words(chosen: str, language: Language) -> str:
    """Return what was chosen; options are in the words of the policies."""
    return _ALL_CASES.of(language) if chosen == EVERY_CASE else chosen


_SUMMARIES = ("What are the main rules of the {policy}?", "Summarise the {policy}")


def follow_ups(answer: Answer) -> tuple[str, ...]:
    """Suggest what to ask next: the main rules of each policy quoted.

    Only what is known to be answered: code reads the question as one that is answered from what is
    stored of that policy. Of policies of one title in several countries none is suggested.
    """
    is_about = any(name == ABOUT for name, _ in answer.confidence.features)
    if answer.outcome is not Outcome.ANSWERED or is_about:
        return ()
    quoted = dict.fromkeys(one.place for one in answer.citations if not one.place.jurisdiction)
    asked = dict.fromkeys(_summary(line(place.policy_title)) for place in quoted)
    return tuple(one for one in asked if one)[:SUGGESTED]


def _summary(policy: str) -> str:
    """Return a question for the main rules of a policy; empty: none is understood, or too long."""
    titled = policy.removeprefix("The ")
    for form in _SUMMARIES:
        asked = form.format(policy=titled)
        if titled and len(asked) <= LONGEST and asks_for_summary(asked):
            return asked
    return ""

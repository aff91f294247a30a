"""Short messages other than answers, worded the same on every platform, in each language.

Those that officers read in their own channel are here, too.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo

from bot.replies.safe_text import line
from core.agent.languages_wording import words_in
from core.domain.answer import Answer
from core.domain.delivery import Notice, StoredReply
from core.domain.officers import NoLink, SignInLink
from core.language.interface.dates import day_and_time, time_of_day
from core.language.interface.texts import Text
from core.language.languages import Language

NAME = "Compliance Assistant"
WRITE_DIRECTLY = Text(
    "I'm still checking who can read this conversation, and will answer here once I know. In a"
    " direct message you get an answer straight away.",
    "Ich stelle noch fest, wer diese Unterhaltung lesen kann, und antworte hier, sobald ich es"
    " weiß. In einer Direktnachricht erhalten Sie Ihre Antwort sofort.",
)
REMOVED = Text(
    "This answer was removed. Its record is kept.",
    "Diese Antwort wurde entfernt. Ihr Protokoll bleibt erhalten.",
)
BUSY = Text(
    "There is a queue of questions. Yours is in it, and I'll answer here when its turn comes;"
    " you don't need to ask again.",
    "Gerade warten viele Fragen. Ihre ist vorgemerkt: Ich beantworte sie hier, sobald sie an der"
    " Reihe ist. Sie müssen nicht noch einmal fragen.",
)
PACED = Text(
    "That was several questions in a short time, so this one has to wait. I'll answer it here when"
    " its turn comes; you don't need to ask again.",
    "Das waren mehrere Fragen in kurzer Zeit. Diese ist vorgemerkt: Ich beantworte sie hier, sobald"
    " sie an der Reihe ist. Sie müssen nicht noch einmal fragen.",
)
TOO_MANY_OF_YOURS = Text(
    "You have reached the limit for questions waiting, so I haven't accepted this one, and can't"
    " accept more until some are answered. Those already waiting will be answered; you can ask"
    " again at {at}. If it can't wait, contact Compliance directly.",
    "Von Ihnen warten schon so viele Fragen, wie ich für eine Person vormerke. Diese Frage und"
    " weitere, die Sie senden, bevor wieder Platz ist, habe ich deshalb nicht angenommen. Die"
    " wartenden werden beantwortet; Sie können um {at} wieder fragen. Wenn es eilt, wenden Sie sich"
    " direkt an Compliance.",
)
TOO_MANY = Text(
    "The queue is full, so I couldn't accept this question. You can ask again at {at}. If it"
    " can't wait, contact Compliance directly.",
    "Es warten mehr Fragen, als ich vormerken kann. Diese habe ich deshalb nicht angenommen. Sie"
    " können um {at} wieder fragen. Wenn es eilt, wenden Sie sich direkt an Compliance.",
)
CONSOLE = Text("Officers' console", "Compliance-Konsole")
SIGN_IN = Text(
    "Sign in here: {link}. The link works once, within {minutes} minutes, for anyone who has it,"
    " so don't share it.",
    "Hier melden Sie sich an: {link}. Der Link gilt einmal und {minutes} Minuten lang. Er lässt"
    " jeden ein, der ihn hat: Geben Sie ihn nicht weiter.",
)
_NO_LINK: Mapping[NoLink, Text] = {
    NoLink.NO_CONSOLE: Text(
        "The officers' console is not set up here.",
        "Die Compliance-Konsole ist hier nicht eingerichtet.",
    ),
    NoLink.NOT_OFFICER: Text(
        "Only compliance officers can sign in to the officers' console.",
        "An der Compliance-Konsole können sich nur Compliance-Beauftragte anmelden.",
    ),
    NoLink.TOO_MANY: Text(
        "You have asked for several links within a few minutes. Use the last one, or ask again in"
        " 10 minutes.",
        "Sie haben innerhalb weniger Minuten mehrere Links angefordert. Nutzen Sie den letzten,"
        " oder fragen Sie in 10 Minuten noch einmal.",
    ),
}
DAY_BUDGET_SPENT = Text(
    "Today's budget for language models (CITEBOUND_DAILY_BUDGET_USD) is spent. Until midnight"
    " UTC, questions are answered without them, and each answer says so.",
    "Die Sprachmodelle haben heute so viel gekostet, wie das Tagesbudget"
    " (CITEBOUND_DAILY_BUDGET_USD) erlaubt. Bis Mitternacht UTC werden Fragen ohne sie beantwortet,"
    " und jede Antwort sagt das.",
)
CHECKPOINT = Text(
    "This is today's signed checkpoint of the record. It is posted here so that nobody can"
    " rewrite the database unnoticed: copy it to a file, and compare with `citebound audit verify"
    " --anchors FILE`.",
    "Das ist der signierte Stand des Protokolls von heute. Er steht hier, damit niemand ihn"
    " abstreiten kann, der die Datenbank ändern kann: `citebound audit verify --anchors FILE`"
    " vergleicht ihn, in eine Datei kopiert.",
)
CONTRADICTIONS = Text(
    "Past questions were asked again, and some answers contradict each other: today's and the"
    " earlier ones, or those to two wordings of the same question. See Reviews in the officers'"
    " console; the record has them as `contradiction:found`.",
    "Frühere Fragen wurden noch einmal gestellt, und einige Antworten widersprechen sich: die von"
    " heute denen von damals, oder die auf zwei Fassungen einer Frage. Die Compliance-Konsole führt"
    " sie unter „Reviews“ auf; im Protokoll heißen sie `contradiction:found`.",
)
PRECEDENT_PROPOSED = Text(
    "An officer has proposed an answer as a precedent. Another officer must decide, in the"
    " console or with `citebound precedent approve`; `citebound precedent list` shows it.",
    "Eine Antwort ist als Präzedenzfall vorgeschlagen. Eine zweite beauftragte Person entscheidet,"
    " in der Konsole oder mit `citebound precedent approve`; `citebound precedent list` nennt ihn.",
)
PRECEDENT_ENDED = Text(
    "A precedent is no longer in use: what it rests on has changed, or it has expired."
    " `citebound precedent list` shows it; you can propose it again.",
    "Ein Präzedenzfall wird nicht mehr verwendet: Seine Grundlage hat sich geändert, oder sein"
    " letzter Tag ist vorbei. `citebound precedent list` nennt ihn; er kann neu vorgeschlagen"
    " werden.",
)
SUBJECT = 400
"""Characters of a line of what a notice is about."""
SUBJECT_LINES = 14
"""Lines of it."""
REVIEW_OVERDUE = Text(
    "A policy is overdue for review: {subject}. It stays in force, and answers that quote it say"
    " that its review is overdue, until it gets a new review date or a new version.",
    "Die Überprüfung einer Richtlinie ist überfällig: {subject}. Sie gilt, bis sie geändert wird,"
    " und Antworten, die sie zitieren, weisen darauf hin. Ein neues Datum oder eine neue Fassung"
    " beendet das.",
)
POLICIES_CHANGED = Text(
    "What changed in the policies, {subject}", "Was sich in den Richtlinien geändert hat, {subject}"
)
_REPORTS: Mapping[Notice, Text] = {
    Notice.ANSWER_REPORTED: Text(
        "A problem with an answer was reported: {subject}. The officers' console lists it under"
        " Reviews; whoever reported it is told your verdict.",
        "Zu einer Antwort wurde ein Problem gemeldet: {subject}. Die Compliance-Konsole führt sie"
        " unter „Reviews“ auf; wer es gemeldet hat, erfährt Ihr Urteil.",
    ),
    Notice.REPORT_TAKEN: Text(
        "Your report of a problem with the answer {subject} is with Compliance. I tell you here"
        " what they find.",
        "Ihre Meldung zur Antwort {subject} liegt bei Compliance. Das Ergebnis erfahren Sie hier.",
    ),
    Notice.REPORT_RIGHT: Text(
        "Compliance has reviewed the answer {subject}, which you reported, and finds it right. If"
        " it leaves your question open, “Ask Compliance” hands it to a person.",
        "Compliance hat die Antwort {subject} geprüft, zu der Sie ein Problem gemeldet haben, und"
        " hält sie für richtig. Ist Ihre Frage noch offen, geht sie mit „Compliance fragen“ an"
        " einen Menschen.",
    ),
    Notice.REPORT_PARTLY: Text(
        "Compliance has reviewed the answer {subject}, which you reported: it is right in part,"
        " and leaves out something that matters. “Ask Compliance” hands your question to a"
        " person.",
        "Compliance hat die Antwort {subject} geprüft, zu der Sie ein Problem gemeldet haben: Sie"
        " stimmt teilweise, lässt aber Wichtiges aus. Mit „Compliance fragen“ geht Ihre Frage an"
        " einen Menschen.",
    ),
    Notice.REPORT_WRONG: Text(
        "Compliance has reviewed the answer {subject}, which you reported, and finds it wrong:"
        " don't rely on it. “Ask Compliance” hands your question to a person.",
        "Compliance hat die Antwort {subject} geprüft, zu der Sie ein Problem gemeldet haben, und"
        " hält sie für falsch: Verlassen Sie sich nicht darauf. Mit „Compliance fragen“ geht Ihre"
        " Frage an einen Menschen.",
    ),
}
SOURCE_FAILS = Text(
    "A policy source can't be read: {subject}. Its policies stay in force but are no longer"
    " updated. Retries continue at growing intervals; `citebound sources list` shows the status.",
    "Eine Quelle von Richtlinien lässt sich nicht lesen: {subject}. Was von ihr bekannt ist, gilt"
    " weiter, wird aber nicht aktueller. Es wird immer seltener neu versucht; `citebound sources"
    " list` nennt den Stand.",
)
SOURCE_WORKS = Text(
    "A policy source can be read again: {subject}.",
    "Eine Quelle von Richtlinien lässt sich wieder lesen: {subject}.",
)
HOW_IT_WORKS = Text(
    "Ask about company policy. Each answer quotes the policy text that it rests on, and says so if"
    " AI wrote it.",
    "Fragen Sie zu den Richtlinien des Unternehmens. Jede Antwort zitiert den Wortlaut, auf dem sie"
    " beruht, und weist darauf hin, wenn eine KI sie geschrieben hat.",
)
STAFF_ALONE = Text(
    "I only answer questions from this company's staff.",
    "Ich beantworte Fragen der eigenen Beschäftigten dieses Unternehmens.",
)
HOW = (
    Text(
        "Each statement is checked against the policy text before you see it; “Show evidence”"
        " shows each quote in context.",
        "Jede Aussage wird am Wortlaut der Richtlinien geprüft, bevor Sie sie sehen; „Belege"
        " anzeigen“ zeigt den Text um jedes Zitat.",
    ),
    Text(
        "If the policies do not settle it, “Ask Compliance” hands your question to a person.",
        "Wenn die Richtlinien es nicht klären, geht Ihre Frage mit „Compliance fragen“ an einen"
        " Menschen.",
    ),
    Text(
        "Questions and answers are recorded, and Compliance can read the record.",
        "Fragen und Antworten werden protokolliert; Compliance kann das Protokoll lesen.",
    ),
)
"""How it works; each platform adds how to ask."""
STOPPED = Text(
    "Stopped. You can ask again at any time.", "Angehalten. Sie können jederzeit wieder fragen."
)
ONLY_ASKER = Text(
    "Only the person who asked can do this.",
    "Das kann nur die Person, die die Frage gestellt hat.",
)
ASKED_BY = Text("{who} asked this.", "{who} hat das gefragt.")
ASKED_ELSE = Text(
    "Not answered: another question was asked instead.",
    "Nicht beantwortet: Stattdessen wurde eine andere Frage gestellt.",
)
EXPIRED = Text(
    "This question is too old for its buttons to work. Please ask me again.",
    "Diese Frage ist zu alt, um sie mit einer Schaltfläche zu beantworten. Bitte fragen Sie mich"
    " noch einmal.",
)
ONLY_ASKER_SENDS = Text(
    "Only the person who asked can send this to Compliance. If you have the same question, ask"
    " me yourself.",
    "Das kann nur die Person an Compliance geben, die die Frage gestellt hat. Stellen Sie mir die"
    " Frage selbst, dann können Sie Ihre weitergeben.",
)
NOT_READABLE = Text(
    "You can't see this here. You can ask me the question yourself.",
    "Das können Sie hier nicht sehen. Sie können mir die Frage selbst stellen.",
)
OFFICERS_ONLY = Text(
    "Only compliance officers can do this.", "Das können nur Compliance-Beauftragte."
)
OTHER_UNIT = Text(
    "This belongs, at least in part, to a unit that you were not granted: an officer of that unit"
    " has to decide on it.",
    "Das gehört zumindest teilweise zu einer Einheit, die Ihnen nicht freigegeben ist: Eine dafür"
    " beauftragte Person muss darüber entscheiden.",
)
OUTDATED = Text(
    "This has already been settled. The message shows the current state.",
    "Das hat sich inzwischen erledigt. Die Nachricht zeigt den jetzigen Stand.",
)
THANKS_UP = Text(
    "Thank you. Your feedback is recorded with the answer.",
    "Danke. Ihre Rückmeldung ist zur Antwort festgehalten.",
)
THANKS_DOWN = Text(
    "Thank you. Compliance reviews answers that were marked as not helpful.",
    "Danke. Compliance prüft Antworten, die als nicht hilfreich bewertet wurden.",
)
ANSWERED_YOU = Text(
    "Thank you. I have recorded that this passage answers your question.",
    "Danke. Ich habe festgehalten, dass diese Stelle Ihre Frage beantwortet.",
)
ANSWERED_YOU_TOO = Text(
    "Thank you. I have recorded that this passage answers it for you. Nothing changes for the"
    " person who asked.",
    "Danke. Ich habe festgehalten, dass diese Stelle es für Sie beantwortet. Für die Person, die"
    " gefragt hat, ändert sich nichts.",
)
ANSWERED_BEFORE = Text(
    "You have already told me that this passage answers it; that is on record.",
    "Sie haben mir schon gesagt, dass diese Stelle es beantwortet. Das ist festgehalten.",
)
STILL_WITH_COMPLIANCE = Text(
    "Your question stays with Compliance.", "Ihre Frage bleibt bei Compliance."
)
ASKED_BEFORE = Text(
    "This was asked before: the answer is in this thread.",
    "Das wurde schon gefragt: Die Antwort steht in diesem Thread.",
)
CHECKING = Text("Checking the policies…", "Die Richtlinien werden geprüft…")
IN_DIRECT = Text(
    "Your answer is in our direct messages.",
    "Ihre Antwort finden Sie in unseren Direktnachrichten.",
)
NOT_NOW = Text(
    "Something went wrong and I couldn't accept your question. Please ask again.",
    "Das hat nicht geklappt: Ich konnte Ihre Frage nicht annehmen. Bitte fragen Sie noch einmal.",
)
OUTSIDE = Text(
    "I only answer questions from this company's employees.",
    "Ich beantworte nur Fragen von Beschäftigten dieses Unternehmens.",
)
IN_THREAD = Text("The answer comes in the thread.", "Die Antwort kommt in den Thread.")
NOT_THERE = Text(
    "I can't answer there. Ask for a private answer instead.",
    "Dort kann ich nicht antworten. Bitten Sie stattdessen um eine Antwort nur an Sie.",
)
EMPTY = Text("Please write a question.", "Bitte schreiben Sie eine Frage.")
AUTOMATED = Text("Automated reply", "Automatische Antwort")
YOU = Text("You", "Sie")


def ask_privately(answer: Answer, language: Language = Language.ENGLISH) -> str:
    """Return all that is said of a report where others may read, in the asker's language.

    That is the one in which it was written, where it is known; else that of the interface.
    """
    written = Language(answer.language)
    return words_in(language if written is Language.ENGLISH else written).report_in_public


_NOTICES: Mapping[Notice, Text] = {
    Notice.EDITED_AFTER_ANSWER: Text(
        "I had already answered when you changed your message. Please ask again.",
        "Als Sie Ihre Nachricht geändert haben, hatte ich schon geantwortet. Bitte fragen Sie noch"
        " einmal.",
    ),
    Notice.WITHHELD: Text(
        "The answer isn't shown here, because the people who can read this conversation have"
        " changed since you asked. If you may read it, I'll send it to you directly.",
        "Die Antwort wird hier nicht gezeigt: Seit der Frage hat sich geändert, wer diese"
        " Unterhaltung lesen kann. Wenn Sie sie lesen dürfen, sende ich sie Ihnen direkt.",
    ),
    Notice.REMOVED: REMOVED,
    Notice.STOPPED: STOPPED,
    Notice.BUSY: BUSY,
    Notice.PACED: PACED,
    Notice.TOO_MANY_OF_YOURS: TOO_MANY_OF_YOURS,
    Notice.TOO_MANY: TOO_MANY,
    Notice.DAY_BUDGET_SPENT: DAY_BUDGET_SPENT,
    Notice.CHECKPOINT: CHECKPOINT,
    Notice.CONTRADICTIONS: CONTRADICTIONS,
    Notice.PRECEDENT_PROPOSED: PRECEDENT_PROPOSED,
    Notice.PRECEDENT_ENDED: PRECEDENT_ENDED,
    Notice.REVIEW_OVERDUE: REVIEW_OVERDUE,
    Notice.POLICIES_CHANGED: POLICIES_CHANGED,
    **_REPORTS,
    Notice.SOURCE_FAILS: SOURCE_FAILS,
    Notice.SOURCE_WORKS: SOURCE_WORKS,
    Notice.HOW_IT_WORKS: HOW_IT_WORKS,
    Notice.STAFF_ALONE: STAFF_ALONE,
    Notice.CASE_CODE: Text("Reply to a case code: {subject}", "Zu einem Fallcode: {subject}"),
    Notice.SIGN_IN: _NO_LINK[NoLink.NO_CONSOLE],
    Notice.MAYBE_ABOVE: Text(
        "Your answer may be above; {platform} did not say whether it arrived.",
        "Ihre Antwort steht möglicherweise weiter oben; {platform} hat nicht gemeldet, ob sie"
        " angekommen ist.",
    ),
}


def subject_lines(subject: str | None) -> list[str]:
    """Return the lines of what a notice is about, each safe to be shown."""
    return [line(one, limit=SUBJECT) for one in (subject or "").split("\n")[:SUBJECT_LINES]]


def notice_text(
    notice: Notice, language: Language, *, platform: str, at: str = "", subject: str = ""
) -> str:
    """Return the words of a notice.

    Args:
        notice: Which.
        language: Of whoever reads it.
        platform: Its name, as people call it.
        at: The time that the notice names, as the platform writes it; empty if it names none.
        subject: What it is about, as the platform shows foreign words; empty if it names nothing.
    """
    words = _NOTICES[notice].of(language)
    return words.format(platform=platform, at=at, subject=subject)


def sign_in_text(
    told: SignInLink | NoLink | None, language: Language, *, link: Callable[[str], str] = str
) -> str:
    """Return the words of a notice about signing in; `link` writes an address as the platform."""
    if isinstance(told, SignInLink):
        return SIGN_IN.of(language).format(link=link(told.url), minutes=told.minutes)
    return _NO_LINK[told or NoLink.NO_CONSOLE].of(language)


def checkpoint_lines(reply: StoredReply) -> str:
    """Return the signed note of a checkpoint, which ends no block of code; empty: there is none."""
    return (reply.checkpoint or "").strip().replace("`", "'")


def time_text(at: datetime, language: Language, zone: tzinfo = UTC) -> str:
    """Return a time of day, with its zone."""
    return time_of_day(at, zone).of(language)


def day_text(at: datetime, language: Language, zone: tzinfo = UTC) -> str:
    """Return a day and a time, with its zone: unambiguous in any country."""
    return day_and_time(at, zone).of(language)


def moment(at: datetime) -> str:
    """Return an instant in a form that is unambiguous in any country."""
    return f"{at:%Y-%m-%d %H:%M} UTC"

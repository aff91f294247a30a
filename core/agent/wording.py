"""What a person reads, by outcome: never an exception's text, never a bare "I don't know".

Each text in the languages of the interface; see `core.language.interface.texts`.
"""

from core.agent.conversation.small_talk import SmallTalk
from core.confidence.calibration import Calibration
from core.domain.answer import RefusalKind
from core.language.interface.texts import Text

REFUSALS = {
    RefusalKind.POLICY_SILENT: Text(
        "I couldn't find an answer in the policies that I can read here.",
        "In den Richtlinien, die ich hier lesen kann, habe ich darauf keine Antwort gefunden.",
    ),
    RefusalKind.NOT_FOUND: Text(
        "I couldn't find a passage that reliably answers this.",
        "Ich habe keine Stelle gefunden, die das verlässlich beantwortet.",
    ),
    RefusalKind.NOT_SURE: Text(
        "This is the closest passage I found; it may not answer your question.",
        "Das ist die nächstliegende Stelle, die ich gefunden habe; möglicherweise beantwortet sie"
        " Ihre Frage nicht.",
    ),
    RefusalKind.OUT_OF_SCOPE: Text(
        "I answer questions about the company's policies, and this does not look like one.",
        "Ich beantworte Fragen zu den Richtlinien des Unternehmens. Das hier sieht nicht nach einer"
        " solchen Frage aus.",
    ),
    RefusalKind.NOT_PERMITTED: Text(
        "I only answer questions from this company's staff, and your account isn't allowed to"
        " ask me. Please ask your contact at the company.",
        "Ich beantworte Fragen der eigenen Beschäftigten dieses Unternehmens, und Ihr Konto gehört"
        " hier nicht dazu. Bitte wenden Sie sich an die Person im Unternehmen, mit der Sie"
        " zusammenarbeiten.",
    ),
    RefusalKind.LANGUAGE: Text(
        "I can't answer in this language here.",
        "In dieser Sprache kann ich hier nicht antworten.",
    ),
    RefusalKind.CONFLICT: Text(
        "Two policies in force contradict each other here, so I can't say which one holds.",
        "Zwei geltende Richtlinien widersprechen sich hier. Welche maßgeblich ist, kann ich nicht"
        " sagen.",
    ),
}
"""Words of a refusal. Those of `not_permitted` are for whoever may not ask, whatever they ask."""
IN_ENGLISH = Text(
    "Please try again in English, which I understand best.",
    "Bitte versuchen Sie es auf Englisch: Das verstehe ich am besten.",
)
"""Note of a refusal where the question was in none of the languages in which is answered."""
NOT_KNOWN = Text(
    "I can't check at the moment whether you may ask me, because this workspace's groups can't"
    " be read. Please try again in a few minutes.",
    "Ich kann gerade nicht feststellen, ob Sie mich fragen dürfen: Die Gruppen dieses"
    " Arbeitsbereichs lassen sich nicht lesen. Bitte fragen Sie in einigen Minuten noch einmal.",
)
"""Reply to a guest whose being let in hangs on a group."""
GROUPS_UNREAD = Text(
    "I can't check group membership at the moment, so this answer uses only what everyone may"
    " read. Ask again in a few minutes for anything more.",
    "Ich kann gerade nicht feststellen, wer zu welcher Gruppe gehört. Diese Antwort stützt sich"
    " deshalb nur auf das, was alle lesen dürfen. Fragen Sie in einigen Minuten noch einmal, wenn"
    " sie mehr enthalten sollte.",
)
"""Note where the groups of those who read can't be told."""

UNCALIBRATED = Text("not yet calibrated", "noch nicht kalibriert")
"""Beside a badge that rests on coefficients which nobody fitted."""
ON_SAMPLES = Text(
    "calibrated on sample policies, not on yours",
    "an Beispielrichtlinien kalibriert, nicht an Ihren",
)
"""Beside one that rests on labelled answers about policies of others."""
URGENT = Text(
    "I'm not sure that this is what you're asking about, but it can't wait:",
    "Ich bin nicht sicher, ob Sie danach fragen, aber es duldet keinen Aufschub:",
)
"""Above duties with a deadline of days or less, where there is no answer."""
NOTHING_SURER = Text(
    "I found no reliable answer beyond this.",
    "Darüber hinaus habe ich keine sichere Antwort gefunden.",
)
"""Below them."""
IF_IT_DOES_NOT = Text(
    "If it doesn't answer your question, you can send the question to Compliance.",
    "Wenn sie Ihre Frage nicht beantwortet, können Sie die Frage an Compliance weitergeben.",
)
"""Below the closest passage."""
ASK_A_PERSON = Text(
    "You can send the question to Compliance.",
    "Sie können die Frage an Compliance weitergeben.",
)
PASSED_ON = Text(
    "I have sent it to Compliance as case {number}, in your words but without your name. Only"
    " you will get the reply, in our direct messages.",
    "Ich habe sie als Fall {number} an Compliance weitergegeben: in Ihren Worten, ohne Ihren Namen."
    " Die Antwort erhalten nur Sie, in unseren Direktnachrichten.",
)
"""In place of it, where the question is with Compliance already."""
NOT_PASSED_ON = Text(
    "Several of your questions have gone to Compliance today, so I haven't sent this one"
    " automatically.",
    "Heute sind schon mehrere Ihrer Fragen an Compliance gegangen. Diese habe ich deshalb nicht von"
    " mir aus weitergegeben.",
)
"""Before it, where as many of the asker's as are passed on by themselves are there already."""
TEXT_IS_ALTERED = Text(
    "I can't answer this question just now: the stored text of the policy is not the one that was"
    " published, and must not be quoted.",
    "Diese Frage kann ich gerade nicht beantworten: Der gespeicherte Text der Richtlinie ist nicht"
    " der veröffentlichte und darf nicht zitiert werden.",
)
NOT_ANSWERED_YET = Text(
    "I couldn't answer that just now. Your question is recorded; please ask again, or ask"
    " Compliance.",
    "Die Frage konnte gerade nicht beantwortet werden. Sie ist festgehalten. Bitte fragen Sie noch"
    " einmal, oder wenden Sie sich an Compliance.",
)
WHAT_TO_ASK = Text(
    "What would you like to know about the company's policies?",
    "Was möchten Sie über die Richtlinien des Unternehmens wissen?",
)
SMALL_TALK = {
    SmallTalk.GREETING: Text("Hello. ", "Guten Tag. ") + WHAT_TO_ASK,
    SmallTalk.THANKS: Text(
        "You're welcome. Ask whenever you need to know more.",
        "Gern geschehen. Fragen Sie jederzeit, wenn Sie mehr wissen möchten.",
    ),
    SmallTalk.HELP: Text(
        "I answer questions about the company's policies, and quote the passage behind every"
        ' statement. Ask in your own words, for example "May I accept a gift from a supplier?"'
        " If I can't answer, you can send the question to Compliance.",
        "Ich beantworte Fragen zu den Richtlinien des Unternehmens und zitiere zu jeder Aussage die"
        " Stelle, auf der sie beruht. Fragen Sie in Ihren eigenen Worten, zum Beispiel: „May I"
        " accept a gift from a supplier?“ Was ich nicht beantworten kann, können Sie an Compliance"
        " weitergeben.",
    ),
}
"""Replies to what asks nothing of the policies."""
UNASKED = Text(
    "I answer questions about the company's policies. What would you like to know about this?",
    "Ich beantworte Fragen zu den Richtlinien des Unternehmens. Was möchten Sie dazu wissen?",
)
"""Reply to a mere statement, where no policy speaks of it."""
TOO_LONG = Text(
    "I can read at most {limit} characters at a time. Please shorten your question.",
    "Ich lese höchstens {limit} Zeichen auf einmal: Bitte fragen Sie kürzer.",
)
ASK_DIRECTLY = Text(
    "Not everyone here may read our policies. Please ask me in a direct message.",
    "Nicht alle hier dürfen unsere Richtlinien lesen: Bitte fragen Sie mich in einer"
    " Direktnachricht.",
)
WITHOUT_MODEL = Text(
    "Quoted from the policies, without a language model.",
    "Aus den Richtlinien zitiert, ohne Sprachmodell.",
)
MODEL_UNAVAILABLE = Text(
    "The language model is unavailable, so this is quoted straight from the policies.",
    "Das Sprachmodell ist gerade nicht erreichbar: Diese Antwort ist ohne es aus den Richtlinien"
    " zitiert.",
)
DAY_BUDGET_SPENT = Text(
    "Today's language model budget is spent, so this is quoted straight from the policies.",
    "Das heutige Budget für das Sprachmodell ist aufgebraucht: Diese Antwort ist ohne es aus den"
    " Richtlinien zitiert.",
)
PARTIAL = Text(
    "Part of your question isn't covered by the policies I found.",
    "Zu einem Teil der Frage wurde in den Richtlinien nichts gefunden.",
)
"""Note where a language model says so. Fixed words: what it says is missing is not verified, and
even the asker's own words, chosen by it, could state something."""
UNMENTIONED = Text(
    "Part of your question wasn't found: no policy that I can read here mentions {words}.",
    "Zu einem Teil der Frage wurde nichts gefunden: Keine Richtlinie, die ich hier lesen kann,"
    " erwähnt {words}.",
)
"""The same where code has checked that the asker's own words stand in no policy in scope."""
QUOTED_WORD, EITHER = Text('"{word}"', "„{word}“"), Text(" or ", " oder ")
"""What stands for them there."""
UNMET = Text(
    'The passages that I found do not mention "{condition}".',
    "Die Stellen, die ich gefunden habe, erwähnen „{condition}“ nicht.",
)
"""Note where nothing quoted speaks of a condition. The condition is in the asker's words, cut to 40
characters without markup; it says what was not found, and so states nothing."""
UNNAMED = Text(
    "No policy that I can read here names “{name}”; what I found is for others.",
    "Keine Richtlinie, die ich hier lesen kann, nennt „{name}“; was ich gefunden habe, gilt für"
    " andere.",
)
"""The same where policies name others of its kind: another plant, department or building."""
FOR_GROUP = "For {groups}: {claim}"
"""A rule for one group of staff, where the asker is not known to belong to it. It is a claim, and
in the language of the policy."""
WHICH_GROUP = Text(
    "The rule I found applies only to {groups}. Are you one of them, or an employee?",
    "Die Regel, die ich gefunden habe, gilt nur für eine Gruppe: {groups}. Gehören Sie hier dazu,"
    " oder sind Sie angestellt?",
)
"""Asked before it."""
NOTHING_ON = Text("I found nothing on: {asked}", "Nichts gefunden habe ich zu: {asked}")
"""Note where one question of several is open: the asker's own words, and nothing that they say."""
NO_SURE_ANSWER_TO = Text(
    "I found no reliable answer to: {asked}", "Keine sichere Antwort gefunden habe ich auf: {asked}"
)
"""The same where something was found that may not answer it."""
READ_WITH = Text(
    "Read together with the message that the question is about.",
    "Zusammen mit der Nachricht gelesen, um die es in der Frage geht.",
)
"""Note where the question takes its subject from what somebody wrote; those words are not shown."""
WILL_BE = Text(
    "From {day}, it will be: “{says}” (“{title}”, version {label}).",
    "Ab {day}, gilt: „{says}“ („{title}“, Version {label}).",
)
"""Note below a quote in place of which a version says something else that begins soon."""
WILL_END = Text(
    "From {day}, “{title}” no longer says this (version {label}).",
    "Ab {day}, steht dies nicht mehr in „{title}“ (Version {label}).",
)
"""The same where nothing stands in its place."""
RELABELLED = Text(
    "“{title}” has had more than one text as version {label}; this is the one published here on"
    " {day}.",
    "„{title}“ hatte als Version {label} mehr als einen Text; dies ist der vom {day}.",
)
"""Note below what cites a version whose label an earlier text had too."""
PAST_REVIEW = Text(
    "“{title}” was due for review by {day}; it remains in force until changed.",
    "„{title}“ hätte bis zum {day} überprüft werden sollen; die Richtlinie gilt, bis sie geändert"
    " wird.",
)
"""Note below what cites a policy whose review is overdue."""
PAST_REVIEW_OF = PAST_REVIEW + Text(" Owner: {owner}.", " Verantwortlich: {owner}.")
"""The same where its owner is known."""
THREAD_UNREAD = Text(
    "I couldn't read the earlier messages in this thread. Please say in your question what you"
    " mean.",
    "Die früheren Nachrichten dieses Threads konnte ich nicht lesen: Nennen Sie in Ihrer Frage, was"
    " Sie meinen.",
)
"""Note where a question points at them and the platform did not let us."""
ALL_OPTION = Text('Or say "all" for every case.', "Oder schreiben Sie „alle“ für jeden Fall.")
"""Added to a clarification with options."""
FROM_ELSEWHERE = Text(
    "I found nothing in {titles} that answers this.",
    "In {titles} habe ich nichts gefunden, was das beantwortet.",
)
"""Note where a question names policies, and what is quoted, if anything is, is of others."""
QUOTED_TITLE, AND = Text("“{title}”", "„{title}“"), Text(" and ", " und ")
"""What stands for them there."""
WHICH_POLICY = Text(
    "Several policies have that name. Which one do you mean?",
    "Mehrere Richtlinien heißen so. Welche meinen Sie?",
)
"""Asked where a fact is wanted of a policy whose name several have; their titles are the options.
"""
POLICIES_HERE = Text("These policies are in force here:", "Diese Richtlinien gelten hier:")
"""Above a list of policies."""
POLICIES_FOR = Text("These policies name {role}:", "Diese Richtlinien nennen {role}:")
"""Above the policies that apply to somebody, or a rule of which does; in the asker's word."""
WHOLE, ONE_RULE = Text("as a whole", "als Ganzes"), Text("in a rule", "in einer Regel")
"""How far such a policy does."""
UNNAMED_APPLY = Text(
    "Policies that apply to everyone don't name them, and aren't listed here.",
    "Richtlinien, die für alle gelten, nennen sie nicht und stehen nicht auf dieser Liste.",
)
"""Below them."""
MORE_POLICIES = Text("{count} more are not listed.", "{count} weitere sind nicht aufgeführt.")
"""Note where a list of policies is cut off."""
MAIN_RULES = Text(
    "Main rules of “{title}”: one quote from each of {quoted} of the {sections} chapters with"
    " rules.",
    "Die wichtigsten Regeln aus „{title}“ im Wortlaut: je eine aus {quoted} von {sections} Kapiteln"
    " mit Regeln.",
)
"""Above the first rules of a policy's sections."""
BY_COMPLIANCE = Text(
    "Answered by Compliance, approved on {day}", "Von Compliance beantwortet, freigegeben am {day}"
)
"""Above an officer's words that are told as a precedent."""
SIMILAR = Text(
    "Compliance answered a similar question: ", "Compliance hat eine ähnliche Frage beantwortet: "
)
SIMILAR_QUESTION = SIMILAR + Text(
    "“{question}” If that is your question, ask it in these words to see the answer.",
    "„{question}“ Wenn das Ihre Frage ist, stellen Sie sie in diesen Worten, und ich zeige die"
    " Antwort.",
)
"""Note beside an answer or a refusal, in an officer's wording of the other question."""
FROM_METADATA = Text(
    "Taken from the policies' details, without a language model.",
    "Aus dem gelesen, was zu den Richtlinien gespeichert ist; kein Sprachmodell wurde gefragt.",
)
"""Note of an answer about the policies themselves."""
READING = Text("Reading the question", "Liest die Frage")
FOLLOWING = Text(
    "Following {facts} facts from the policies", "Verfolgt {facts} Fakten aus den Richtlinien"
)
SEARCHING = Text("Searching", "Sucht")
SEARCHING_SECTIONS = Text("Searching {sections} sections", "Durchsucht {sections} Abschnitte")
WRITING = Text("Writing the answer", "Schreibt die Antwort")
CHECKING_CLAIMS = Text("Checking each claim", "Prüft jede Aussage")
READING_AGAIN = Text("Checking it again", "Liest sie noch einmal")
LOOKING_UP = Text("Looking up the policies", "Schlägt in den Richtlinien nach")
"""What is being done, while it is; the German ones stand after the app's name, too."""


def searching(sections: int) -> Text:
    """Say that sections are searched; 0: nobody knows how many."""
    return SEARCHING_SECTIONS.format(sections=sections) if sections else SEARCHING


def rests_on(calibration: Calibration) -> str:
    """Return what a calibration rests on, in the words of the badge."""
    if calibration.is_measured:
        return "calibrated on answers of this deployment"
    return (ON_SAMPLES if calibration.is_on_samples else UNCALIBRATED).en

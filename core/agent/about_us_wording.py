"""What is said of the assistant itself; what is in braces depends on the deployment."""

from collections.abc import Mapping

from core.agent.conversation.small_talk import SmallTalk
from core.agent.wording import SMALL_TALK
from core.domain.question import SelfTopic
from core.language.interface.texts import Text

SENT = Text(
    "Your words go to a language model at {model}, with passages of the policies; what I recognise"
    " as a report of misconduct does not.",
    "Ihre Worte gehen mit Stellen aus den Richtlinien an ein Sprachmodell bei {model}; was ich als"
    " Meldung von Fehlverhalten erkenne, nicht.",
)
NOT_SENT = Text(
    "I send your words to no language model.", "Ich gebe Ihre Worte an kein Sprachmodell weiter."
)
SEARCHED = Text(
    " To search by their meaning they go to {service}.",
    " Für die Suche nach ihrer Bedeutung gehen sie an {service}.",
)
TRACED = Text(
    " They also stand in traces, which the operators read.",
    " Sie stehen auch in Traces, die der Betrieb liest.",
)
BY_MODEL = Text(
    "A language model at {model} words the answers, and code checks each statement against the"
    " policies.",
    "Ein Sprachmodell bei {model} formuliert die Antworten, und jede Aussage wird maschinell an den"
    " Richtlinien geprüft.",
)
BY_RULES = Text(
    "Without a language model, I quote what the policies say.",
    "Ohne Sprachmodell zitiere ich, was die Richtlinien sagen.",
)
SEALED = Text(
    "Only two officers together, with a reason, can find out who a pseudonym stands for.",
    "Nur zwei Beauftragte gemeinsam können mit Grund klären, wen ein Pseudonym meint.",
)
NOT_SEALED = Text(
    "Officers can't look up who a pseudonym stands for.",
    "Beauftragte können nicht nachsehen, für wen ein Pseudonym steht.",
)
ABOUT_US: Mapping[SelfTopic, Text] = {
    SelfTopic.IDENTITY: Text(
        "I am a bot, not a person: Citebound, a program that answers from this company's policies."
        " {writes} For anything that concerns me, turn to Compliance.",
        "Ich bin ein Bot, kein Mensch: Citebound, ein Programm, das aus den Richtlinien dieses"
        " Unternehmens antwortet. {writes} Wenn es um mich selbst geht, wenden Sie sich an"
        " Compliance.",
    ),
    SelfTopic.CAPABILITIES: SMALL_TALK[SmallTalk.HELP]
    + Text(
        " I decide, approve, send and fill in nothing, and read no attachments. I understand"
        " English best. A person answers if you press “Ask Compliance” below a reply.",
        " Ich entscheide, genehmige und versende nichts, fülle nichts aus und lese keine Anhänge."
        " Am besten verstehe ich Englisch. Ein Mensch antwortet, wenn Sie unter einer Antwort"
        " „Compliance fragen“ wählen.",
    ),
    SelfTopic.STORAGE: Text(
        "I record your question, my answer and the policies behind it, under a pseudonym in place"
        " of your name, until Compliance erases them, by age or at your request: give them the"
        " reference under one of my replies, and they can erase what you wrote. The ids of your"
        " account, by which replies reach you, leave the working tables 30 days after the last"
        " message. {sent}",
        "Ich protokolliere Ihre Frage, meine Antwort und die Richtlinien dahinter, unter einem"
        " Pseudonym statt Ihrem Namen, bis Compliance sie löscht, nach Alter oder auf Ihren"
        " Wunsch: Nennen Sie dort die Referenz unter einer meiner Antworten. Die Kennungen Ihres"
        " Kontos, über die Antworten Sie erreichen, werden 30 Tage nach der letzten Nachricht aus"
        " den Arbeitstabellen entfernt. {sent}",
    ),
    SelfTopic.READERS: Text(
        "Compliance officers can read the record of questions and answers, in which you stand"
        " under a pseudonym. Your manager, HR and colleagues can't, unless they are such officers,"
        " and I tell nobody that you asked. In a channel, everybody there sees what you write:"
        " write to me directly instead. Whoever runs the servers (often IT), and Slack or Teams,"
        " can technically reach what is stored.",
        "Compliance-Beauftragte können das Protokoll der Fragen und Antworten lesen, in dem Sie"
        " unter einem Pseudonym stehen. Vorgesetzte, Personalabteilung und Kollegium können es"
        " sonst nicht, und ich sage niemandem, dass Sie gefragt haben. In einem Kanal sehen alle,"
        " was Sie schreiben: Schreiben Sie mir sonst direkt. Wer die Server betreibt (oft die IT),"
        " und Slack oder Teams kommen technisch an das Gespeicherte heran.",
    ),
    SelfTopic.ANONYMITY: Text(
        "The record names you by a pseudonym, and a question that is passed on to Compliance goes"
        " without your name, unless you give it. {sealed} Not quite anonymous: I know your account"
        " to reply to it, and in a channel your name stands beside what you write. To report"
        " misconduct without a name, ask me how to report anonymously.",
        "Das Protokoll nennt Sie unter einem Pseudonym, und eine Frage, die an Compliance geht,"
        " trägt Ihren Namen nicht, außer Sie nennen ihn. {sealed} Ganz anonym ist es nicht: Ich"
        " kenne Ihr Konto, um zu antworten, und in einem Kanal steht Ihr Name neben dem, was Sie"
        " schreiben. Wie Sie Fehlverhalten ohne Namen melden, können Sie mich fragen.",
    ),
    SelfTopic.RELIABILITY: Text(
        "Each statement is a quote from a policy or checked against one by code, and names its"
        " source: read it there if much depends on it. I can still miss a rule or be wrong. “High”"
        " and “Medium” confidence say how likely an answer is right, measured on labelled"
        " questions; what is less sure is shown as the closest passage. My words are no approval"
        " and no legal advice: the policy counts. If a reply is wrong, mark it as not helpful or"
        " tell Compliance.",
        "Jede Aussage ist ein Zitat aus einer Richtlinie oder maschinell daran geprüft und nennt"
        " ihre Quelle: Lesen Sie dort nach, wenn viel davon abhängt. Trotzdem kann ich eine Regel"
        " übersehen oder mich irren. „Hohe“ und „Mittlere Sicherheit“ sagen, wie wahrscheinlich"
        " eine Antwort richtig ist, gemessen an geprüften Fragen; was weniger sicher ist, zeige"
        " ich als nächstliegende Stelle. Meine Worte sind keine Genehmigung und kein Rechtsrat: Es"
        " gilt die Richtlinie. Eine falsche Antwort bewerten Sie als nicht hilfreich oder melden"
        " sie Compliance.",
    ),
}
"""Replies to questions about the assistant itself; what is in braces depends on the deployment."""
WAYS_TO_REPORT = Text(
    "This is what the policies say about reporting. I have passed nothing on.",
    "Das sagen die Richtlinien zum Melden. Ich habe nichts weitergegeben.",
)
NO_WAYS_TO_REPORT = Text(
    "In the policies that I can read here I found nothing on how to report misconduct. Turn to"
    " Compliance directly. I have passed nothing on.",
    "In den Richtlinien, die ich hier lesen kann, steht nichts darüber, wie man Fehlverhalten"
    " meldet. Wenden Sie sich direkt an Compliance. Ich habe nichts weitergegeben.",
)

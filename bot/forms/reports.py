"""The words of the form that passes a report of misconduct on."""

from core.language.interface.texts import Text

TITLE = Text("Tell Compliance", "Compliance informieren")
"""A title has 24 characters at most."""
PROMISE = Text(
    "What you wrote, and what you add here, goes to the compliance officer on call, and other"
    " compliance officers can look it up. Your name isn't shown, nothing is posted in a"
    " channel, and only you get the reply. Once you have sent it, it stays with Compliance,"
    " even if you delete your message, which erases only what you and Compliance then wrote to"
    " each other. You get a code to come back with, without your name. Officers whom you name in"
    " your report do not receive it and cannot open it. If there is anybody else who must not see"
    " it, please name them below.",
    "Was Sie geschrieben haben und hier ergänzen, geht an die diensthabende Person bei"
    " Compliance; andere Compliance-Beauftragte können es einsehen. Ihr Name wird nicht gezeigt,"
    " nichts davon steht in einem Channel, und die Antwort erhalten nur Sie. Was Sie gesendet"
    " haben, bleibt bei Compliance, auch wenn Sie Ihre Nachricht löschen; das löscht nur, was Sie"
    " und Compliance einander danach schreiben. Mit einem Code, den Sie erhalten, können Sie ohne"
    " Ihren Namen wiederkommen."
    " Beauftragte, die Sie in Ihrer Meldung nennen, erhalten sie nicht und können sie nicht öffnen."
    " Wenn noch jemand sie nicht sehen darf, nennen Sie die Person bitte unten.",
)
"""Who reads it."""
TO_KNOW = Text(
    "What should they know, if you want to add anything?",
    "Was sollte Compliance noch wissen, wenn Sie etwas ergänzen möchten?",
)
HINT = Text(
    "What happened, when and where, who saw it, and whether it is still going on",
    "Was passiert ist, wann und wo, wer dabei war und ob es noch andauert",
)
WHO_NOT = Text(
    "Who in Compliance must not see this? (optional)",
    "Wer bei Compliance darf das nicht sehen? (freiwillig)",
)
WHO_NOT_HINT = Text("Names, if any", "Namen, falls nötig")
WHEN = Text("How soon should they look at it?", "Wie bald sollte es jemand ansehen?")

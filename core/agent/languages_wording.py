"""What a person reads in their own language: of reports, refusals and translated answers.

One instance for each language in which misconduct is recognised; each has every text.
"""

from dataclasses import dataclass

from core.language.languages import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyWords:
    """The texts of one language."""

    report: str
    """Reply to a report in private, before what can be held on to."""
    report_or_question: str
    """The same where somebody only tells of a person: it may be no report at all."""
    kept: str
    """Below either: what is kept of it, for how long, and who can read that; see `WORDS_KEPT`."""
    line: str
    """Before the speak-up line."""
    person: str
    """Before the ombudsperson."""
    anonymous: str
    """Before how to report without a name."""
    policies_say: str
    """Above quotations of the policies; they stay in their own language."""
    afterwards: str
    """Below all that."""
    report_in_public: str
    """All that is said of a report where others may read."""
    not_in_language: str
    """Reply to a question that only a language model could answer, where there is none."""
    or_report: str
    """Added to it: nobody who meant to report is left without a way."""
    translation: str
    """Note below statements in the asker's language: what they are."""
    verified_words: str
    """Above the statements that were checked, in the language of the policies, `{language}`."""
    partly_translated: str
    """Note where a statement is shown as it is, as its translation did not stand the checks."""
    untranslated: str
    """Note where all of them are."""
    no_answer: str
    """Note beside a refusal in words of another language; empty: none is needed."""


ENGLISH = ReplyWords(
    report=(
        "This sounds like something to report rather than to look up, so I have passed nothing on."
        " You can report it in confidence."
    ),
    report_or_question=(
        "I can't tell whether you want to know a rule or to report something, so I have passed"
        " nothing on. If you want to know what the policies say, ask me a question. If something is"
        " wrong, you can report it in confidence."
    ),
    kept=(
        "Compliance officers cannot read what you wrote. I keep it for 30 days, so that you can"
        " still pass it on; if you delete your message, I erase it at once. Until then only the"
        " people who run the technical service could see it."
    ),
    line="Speak-up line",
    person="Ombudsperson",
    anonymous="Without your name",
    policies_say="What the policies say about it:",
    afterwards="If you like, Compliance can follow this up with you in private.",
    report_in_public="I can't answer this here. Please send me a direct message.",
    not_in_language="I can't answer in this language here. You can ask me in English.",
    or_report="If you want to report something, please send me a direct message.",
    translation="Machine translation, checked automatically. Only the original below is binding.",
    verified_words="Checked against the policies, in the original ({language}):",
    partly_translated="Anything that couldn't be translated reliably is left in the original.",
    untranslated="This couldn't be translated reliably, so it is in the language of the policies.",
    no_answer="",
)
GERMAN = ReplyWords(
    report=(
        "Das klingt nach etwas, das Sie melden können, statt es nachzuschlagen. Ich habe nichts"
        " weitergegeben. Sie können es vertraulich melden."
    ),
    report_or_question=(
        "Ich kann nicht erkennen, ob Sie eine Regel wissen oder etwas melden möchten. Ich habe"
        " nichts weitergegeben. Wenn Sie wissen möchten, was die Richtlinien sagen, stellen Sie mir"
        " eine Frage. Wenn etwas nicht in Ordnung ist, können Sie es vertraulich melden."
    ),
    kept=(
        "Die Compliance-Beauftragten können nicht lesen, was Sie geschrieben haben. Ich bewahre es"
        " 30 Tage auf, damit Sie es noch weitergeben können; löschen Sie Ihre Nachricht, lösche ich"
        " es sofort. Bis dahin könnten es nur die Personen sehen, die den Dienst technisch"
        " betreiben."
    ),
    line="Hinweisgeberstelle",
    person="Ombudsperson",
    anonymous="Ohne Ihren Namen",
    policies_say="Was die Richtlinien dazu sagen, im Wortlaut:",
    afterwards="Wenn Sie möchten, nimmt sich Compliance der Sache vertraulich mit Ihnen an.",
    report_in_public=(
        "Darauf antworte ich hier nicht. Bitte schreiben Sie mir in einer Direktnachricht."
    ),
    not_in_language=(
        "Auf Deutsch kann ich hier leider nicht antworten: Die Richtlinien liegen mir in einer"
        " anderen Sprache vor, und ich übersetze sie nicht ungeprüft. Sie können mich auf Englisch"
        " fragen oder Ihre Frage an Compliance weitergeben."
    ),
    or_report="Wenn Sie etwas melden möchten, schreiben Sie mir bitte in einer Direktnachricht.",
    translation=(
        "Maschinelle Übersetzung, mit dem Original abgeglichen. Maßgeblich ist das Original."
    ),
    verified_words="Anhand der Richtlinien geprüft, im Original ({language}):",
    partly_translated="Was sich nicht sicher übersetzen ließ, steht im Original da.",
    untranslated=(
        "Das ließ sich nicht sicher übersetzen und steht deshalb in der Sprache der Richtlinien da."
    ),
    no_answer=(
        "Eine gesicherte Antwort habe ich nicht gefunden. Sie können die Frage an Compliance"
        " weitergeben."
    ),
)
FRENCH = ReplyWords(
    report=(
        "Cela semble être un fait à signaler plutôt qu'une règle à chercher. Je n'ai rien"
        " transmis. Vous pouvez le signaler en toute confidentialité."
    ),
    report_or_question=(
        "Je ne sais pas si vous cherchez une règle ou si vous voulez signaler un fait. Je n'ai rien"
        " transmis. Si vous voulez savoir ce que disent les politiques, posez-moi une question. Si"
        " quelque chose ne va pas, vous pouvez le signaler en toute confidentialité."
    ),
    kept=(
        "Les responsables Compliance ne peuvent pas lire ce que vous avez écrit. Je le garde"
        " 30 jours pour que vous puissiez encore le transmettre ; si vous supprimez votre message,"
        " je l'efface aussitôt. D'ici là, seules les personnes qui gèrent le service technique"
        " pourraient le voir."
    ),
    line="Ligne d'alerte",
    person="Personne de confiance",
    anonymous="Sans donner votre nom",
    policies_say="Ce que disent les politiques, mot pour mot :",
    afterwards="Si vous le souhaitez, le service Compliance en parlera avec vous en privé.",
    report_in_public=(
        "Je ne réponds pas à cela ici. Écrivez-moi, s'il vous plaît, par message direct."
    ),
    not_in_language=(
        "Je ne peux malheureusement pas répondre en français ici : les politiques sont dans une"
        " autre langue, et je ne les traduis pas sans contrôle. Vous pouvez me poser la question en"
        " anglais ou la transmettre au service Compliance."
    ),
    or_report="Si vous voulez signaler un fait, écrivez-moi, s'il vous plaît, par message direct.",
    translation="Traduction automatique, comparée à l'original. Seul l'original fait foi.",
    verified_words="Vérifié d'après les politiques, dans l'original ({language}) :",
    partly_translated="Ce qui n'a pas pu être traduit avec certitude est laissé dans l'original.",
    untranslated=(
        "Ce texte n'a pas pu être traduit avec certitude ; il est donc dans la langue des"
        " politiques."
    ),
    no_answer=(
        "Je n'ai pas trouvé de réponse sûre. Vous pouvez transmettre la question au service"
        " Compliance."
    ),
)
SPANISH = ReplyWords(
    report=(
        "Esto parece algo que se puede denunciar, más que una norma que consultar. No he"
        " transmitido nada. Puede denunciarlo de forma confidencial."
    ),
    report_or_question=(
        "No sé si busca una norma o si quiere denunciar algo. No he transmitido nada. Si quiere"
        " saber qué dicen las políticas, hágame una pregunta. Si algo no está bien, puede"
        " denunciarlo de forma confidencial."
    ),
    kept=(
        "Los responsables de Compliance no pueden leer lo que ha escrito. Lo guardo 30 días para"
        " que todavía pueda transmitirlo; si borra su mensaje, lo elimino de inmediato. Hasta"
        " entonces solo podrían verlo las personas que administran el servicio técnico."
    ),
    line="Canal de denuncias",
    person="Defensor o persona de confianza",
    anonymous="Sin dar su nombre",
    policies_say="Lo que dicen las políticas, palabra por palabra:",
    afterwards="Si lo desea, Compliance tratará el asunto con usted en privado.",
    report_in_public="No respondo a esto aquí. Por favor, escríbame un mensaje directo.",
    not_in_language=(
        "Lamentablemente no puedo responder en español aquí: las políticas están en otro idioma"
        " y no las traduzco sin comprobarlas. Puede preguntármelo en inglés o pasar la pregunta a"
        " Compliance."
    ),
    or_report="Si quiere denunciar algo, escríbame, por favor, un mensaje directo.",
    translation="Traducción automática, comparada con el original. Solo el original es válido.",
    verified_words="Comprobado con las políticas, en el original ({language}):",
    partly_translated="Lo que no se pudo traducir con seguridad queda en el original.",
    untranslated=(
        "No se pudo traducir con seguridad, por lo que está en el idioma de las políticas."
    ),
    no_answer="No he encontrado una respuesta segura. Puede pasar la pregunta a Compliance.",
)
LANGUAGE_NAMES = {
    Language.ENGLISH: {
        Language.ENGLISH: "English",
        Language.GERMAN: "German",
        Language.FRENCH: "French",
        Language.SPANISH: "Spanish",
    },
    Language.GERMAN: {
        Language.ENGLISH: "Englisch",
        Language.GERMAN: "Deutsch",
        Language.FRENCH: "Französisch",
        Language.SPANISH: "Spanisch",
    },
    Language.FRENCH: {
        Language.ENGLISH: "anglais",
        Language.GERMAN: "allemand",
        Language.FRENCH: "français",
        Language.SPANISH: "espagnol",
    },
    Language.SPANISH: {
        Language.ENGLISH: "inglés",
        Language.GERMAN: "alemán",
        Language.FRENCH: "francés",
        Language.SPANISH: "español",
    },
}
"""What each language calls the others."""
NAMES_IN_ENGLISH = LANGUAGE_NAMES[Language.ENGLISH]
_WORDS = {
    Language.ENGLISH: ENGLISH,
    Language.GERMAN: GERMAN,
    Language.FRENCH: FRENCH,
    Language.SPANISH: SPANISH,
    Language.OTHER: ENGLISH,
}


def words_in(language: Language) -> ReplyWords:
    """Return the texts of a language, the English ones where there are none."""
    return _WORDS[language]

"""The words that carry the force of a rule, in English, German, French and Spanish.

What the lists mean is said in `rule_marks`, which looks them up.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from core.language.languages import Language


class Mark(StrEnum):
    """A part of the force of a rule."""

    MUST = "must"
    MAY = "may"
    SHOULD = "should"
    MUST_NOT = "must not"
    NEED_NOT = "need not"
    SHOULD_NOT = "should not"
    NOT = "not"
    """A negation of something else than what must or may be done."""
    EXCEPT = "except"
    ONLY = "only"
    WITHOUT = "without"
    IF = "if"
    UP_TO = "up to"
    AT_LEAST = "at least"
    OVER = "over"
    UNDER = "under"
    BEFORE = "before"
    AFTER = "after"
    AT_ONCE = "at once"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    QUARTERLY = "quarterly"
    YEARLY = "yearly"
    IN_WRITING = "in writing"


class Verb(StrEnum):
    """What a word requires or allows, by what its negation says."""

    MUST = "must"
    """Its negation forbids: "must not", "ne doit pas"."""
    NEED = "need"
    """Its negation frees: "need not", "muss nicht", "is not required"."""
    MAY = "may"
    SHOULD = "should"
    BARRED = "barred"
    """It forbids by itself, and its negation allows: "is prohibited"."""


MARKS: Mapping[Language, Sequence[tuple[Mark, str]]] = {
    Language.ENGLISH: (
        (Mark.AT_ONCE, r"without (?:undue )?delay|immediately|at once|promptly|straight away"),
        (
            Mark.UP_TO,
            r"(?:no|not) (?:more|longer|higher|greater) than|not exceed(?:ing)?"
            r"|up to|at most|by(?= \d| the end)|maximum(?: of)?|at the latest"
            r"|(?:no|not) later than|within",
        ),
        (
            Mark.AT_LEAST,
            r"(?:no|not) (?:less|fewer|lower) than|at least|minimum(?: of)?"
            r"|(?:no|not) earlier than",
        ),
        (
            Mark.OVER,
            r"(?:more|longer|higher|greater) than|above|over|exceed(?:s|ed|ing)?"
            r"|in excess of|beyond",
        ),
        (Mark.UNDER, r"(?:less|fewer|lower|shorter) than|below|under(?= [\d$€£]| eur| usd| gbp)"),
        (
            Mark.EXCEPT,
            r"unless|except(?:ion of|ed|ing)?|other than|excluding|apart from"
            r"|aside from",
        ),
        (Mark.ONLY, r"only|solely|exclusively"),
        (Mark.WITHOUT, r"without"),
        (Mark.IF, r"if|when|provided(?: that)?|as soon as|as long as|in case|where"),
        (Mark.BEFORE, r"before(?:hand)?|prior|in advance"),
        (Mark.AFTER, r"after(?:wards)?|following|since"),
        (Mark.DAILY, r"daily|(?:per|a|each|every) day"),
        (Mark.WEEKLY, r"weekly|(?:per|a|each|every) week"),
        (Mark.MONTHLY, r"monthly|(?:per|a|each|every) month"),
        (Mark.QUARTERLY, r"quarterly|(?:per|a|each|every) quarter"),
        (Mark.YEARLY, r"annual(?:ly)?|yearly|(?:per|a|each|every)(?: calendar)? year"),
        (Mark.IN_WRITING, r"in writing|written"),
    ),
    Language.GERMAN: (
        (
            Mark.AT_ONCE,
            r"unverzüglich\w*|sofort\w*|umgehend\w*|ohne (?:unnötige |schuldhafte )?"
            r"verzögerung|ohne verzug",
        ),
        (
            Mark.UP_TO,
            r"nicht (?:mehr|länger|höher) als|(?:nicht|kein\w*) überschreiten|bis zu"
            r"|höchstens|maximal\w*|spätestens|nicht später als|innerhalb|binnen|bis"
            r"(?= \d| eur| usd| einschlie(?:ß|ss)lich)",
        ),
        (
            Mark.AT_LEAST,
            r"nicht (?:weniger|früher|kürzer) als|mindestens|wenigstens|frühestens"
            r"|minimal\w*",
        ),
        (
            Mark.OVER,
            r"(?:mehr|länger|höher) als|über(?= [\d$€£]| eur| usd| gbp| \w+ euro)"
            r"|oberhalb|übersteig\w*|überschreit\w*|überstiegen|hinaus",
        ),
        (
            Mark.UNDER,
            r"(?:weniger|kürzer|geringer|niedriger) als"
            r"|unter(?= [\d$€£]| eur| usd| gbp| \w+ euro)|unterhalb|unterschreit\w*",
        ),
        (
            Mark.EXCEPT,
            r"es sei denn|au(?:ß|ss)er(?: im falle?)?|ausgenommen|mit ausnahme|ausnahme\w*"
            r"|abgesehen von"
            r"|(?:sofern|soweit|wenn|falls) nicht",
        ),
        (Mark.ONLY, r"nur|ausschlie(?:ß|ss)lich|lediglich|allein"),
        (Mark.WITHOUT, r"ohne"),
        (Mark.IF, r"wenn|falls|sofern|soweit|sobald|solange|vorausgesetzt|im falle?"),
        (Mark.BEFORE, r"bevor|vorher\w*|vorab|im voraus|zuvor|vor(?! allem| ort)"),
        (
            Mark.AFTER,
            r"nachdem|danach|anschlie(?:ß|ss)end|nach(?= de[mr] | erhalt| ablauf| ende|"
            r" eingang| einer | \d)|seit",
        ),
        (Mark.DAILY, r"täglich\w*|pro tag|je tag|am tag|jeden tag"),
        (Mark.WEEKLY, r"wöchentlich\w*|pro woche|je woche|jede woche"),
        (Mark.MONTHLY, r"monatlich\w*|pro monat|je monat|im monat|jeden monat"),
        (Mark.QUARTERLY, r"vierteljährlich\w*|quartalsweise|pro quartal|je quartal|jedes quartal"),
        (
            Mark.YEARLY,
            r"jährlich\w*|pro (?:kalender)?jahr|je (?:kalender)?jahr"
            r"|im (?:kalender)?jahr|jedes jahr",
        ),
        (Mark.IN_WRITING, r"schriftlich\w*"),
    ),
    Language.FRENCH: (
        (Mark.AT_ONCE, r"immédiat\w*|sans (?:délai|tarder|retard)|aussitôt|sur-le-champ"),
        (
            Mark.UP_TO,
            r"pas (?:plus|au-delà) de|pas (?:dépasser|excéder)|jusqu'à|au plus(?: tard)?"
            r"|au maximum|maximum|maxim(?:al|ale|aux)|dans (?:un délai de|les|le délai de)(?= \w)"
            r"|sous(?= \d)|à hauteur de|dans le mois|en l'espace de",
        ),
        (Mark.AT_LEAST, r"pas moins de|au moins|au minimum|minimum|minim(?:al|ale|aux)"),
        (Mark.OVER, r"plus de|au-delà de|au-dessus de|dépass\w*|excéd\w*|supérieure?s? à"),
        (Mark.UNDER, r"moins de|au-dessous de|en dessous de|inférieure?s? à"),
        (
            Mark.EXCEPT,
            r"sauf(?: si| en cas)?|à moins|excepté|hormis|à l'exception|à l'exclusion"
            r"|exceptions?|autres? que|en dehors",
        ),
        (Mark.ONLY, r"seul(?:e|s|es|ement)?|uniquement|exclusivement"),
        (Mark.WITHOUT, r"sans"),
        (Mark.IF, r"s'ils?|si|lorsqu\w*|quand|dès(?: lors)? qu\w*|à condition|pourvu|en cas"),
        (Mark.BEFORE, r"avant|préalable\w*|à l'avance|au préalable"),
        (Mark.AFTER, r"après|suivant\w*|ensuite|depuis|à compter"),
        (Mark.DAILY, r"quotidien\w*|par jour|chaque jour"),
        (Mark.WEEKLY, r"hebdomadaire\w*|par semaine|chaque semaine"),
        (Mark.MONTHLY, r"mensuel\w*|par mois|chaque mois"),
        (Mark.QUARTERLY, r"trimestriel\w*|par trimestre|chaque trimestre"),
        (Mark.YEARLY, r"annuel\w*|par an(?:née)?(?: civile)?|chaque année"),
        (Mark.IN_WRITING, r"(?:par )?écrite?s?"),
    ),
    Language.SPANISH: (
        (Mark.AT_ONCE, r"inmediat\w*|sin (?:demora|dilación|retraso)|enseguida"),
        (
            Mark.UP_TO,
            r"no más de|no (?:superar|exceder)\w*|no superior(?:es)? a|hasta|como máximo"
            r"|máxim[oa]s?|a más tardar|en (?:un|el) plazo(?: máximo)? de|dentro de"
            r"|en(?= \d+ (?:hora|día|semana|mes))",
        ),
        (Mark.AT_LEAST, r"no menos de|al menos|como mínimo|mínim[oa]s?|por lo menos"),
        (Mark.OVER, r"más de|superior(?:es)? a|super(?:a|an|e|en)|exced\w*|por encima de"),
        (Mark.UNDER, r"menos de|inferior(?:es)? a|por debajo de"),
        (
            Mark.EXCEPT,
            r"salvo(?: que| si| en caso)?|excepto|a menos que|a no ser que|excepción|excepciones"
            r"|exceptuando",
        ),
        (Mark.ONLY, r"s[oó]lo|solamente|únicamente|exclusivamente|únic[oa]s?"),
        (Mark.WITHOUT, r"sin"),
        (Mark.IF, r"si|cuando|siempre que|en caso|en cuanto|mientras"),
        (Mark.BEFORE, r"antes|previ[oa]s?|previamente|con antelación|de antemano"),
        (Mark.AFTER, r"después|tras|siguientes?|desde|a partir"),
        (Mark.DAILY, r"diari[oa]\w*|al día|por día|cada día"),
        (Mark.WEEKLY, r"semanal\w*|a la semana|por semana|cada semana"),
        (Mark.MONTHLY, r"mensual\w*|al mes|por mes|cada mes"),
        (Mark.QUARTERLY, r"trimestral\w*|al trimestre|por trimestre|cada trimestre"),
        (Mark.YEARLY, r"anual\w*|al año|por año(?: natural)?|cada año"),
        (Mark.IN_WRITING, r"(?:por )?escrit[oa]s?"),
    ),
}
"""In the order in which they are looked for: what is found is not looked at again."""
VERBS: Mapping[Language, Sequence[tuple[Verb, str]]] = {
    Language.ENGLISH: (
        (Verb.BARRED, r"prohibit(?:s|ed)?|forbidden|forbids?|banned|bans"),
        (
            Verb.NEED,
            r"ha(?:s|ve|d) to|needs?(?: to)?|required|requires?|obliged|mandatory"
            r"|necessary|compulsory",
        ),
        (Verb.MUST, r"must|shall|(?:is|are) to(?= \w)"),
        (Verb.SHOULD, r"should|ought|recommended|recommends?"),
        (
            Verb.MAY,
            r"may|can|could|allowed|allows?|permitted|permits?|permissible"
            r"|acceptable|entitled",
        ),
    ),
    Language.GERMAN: (
        (Verb.BARRED, r"verboten\w*|untersagt\w*|verbietet|verbieten|unzulässig\w*|unerlaubt\w*"),
        (Verb.SHOULD, r"soll(?:te|ten|test|en|t)?|empfohlen|empfiehlt|empfehlen"),
        (
            Verb.NEED,
            r"m[uü]ss(?:en|t|te|ten)?|muß|verpflicht\w+|erforder(?:lich\w*|t|n)|notwendig\w*"
            r"|vorgeschrieben|benötig(?:t|en)|brauch(?:t|en)|pflicht|verlangt|obligatorisch"
            r"|bedarf|bedürfen",
        ),
        (
            Verb.MAY,
            r"d[aü]rf(?:en|st|t|te|ten)?|k[aö]nn(?:en|st|t|te|ten)?|anspruch|erlaubt|gestattet"
            r"|zulässig\w*|berechtigt|erlauben",
        ),
    ),
    Language.FRENCH: (
        (Verb.BARRED, r"interdi(?:te?s?|re|t)|prohibée?s?|défendue?s?"),
        (Verb.SHOULD, r"devr(?:ait|aient|iez|ions|ais)|recommand\w*|conseillée?s?"),
        (
            Verb.NEED,
            r"obligatoires?|obligée?s?|tenue?s?|requi(?:s|se|ses|ert|èrent)|nécessaires?|exigée?s?"
            r"|exige|exigent|nécessite\w*|avez à|(?:a|ont) à|besoin",
        ),
        (Verb.MUST, r"doi(?:t|vent|s)|devez|devons|devr(?:a|ont|ez)|faut|faudra"),
        (
            Verb.MAY,
            r"peu(?:t|vent|x)|pouvez|pouvons|pourr(?:a|ont|ez|ait)|autorisée?s?|permise?s?"
            r"|permis|permet(?:tent)?|droit",
        ),
    ),
    Language.SPANISH: (
        (Verb.BARRED, r"prohib(?:id[oa]s?|e|en)|vetad[oa]s?"),
        (Verb.SHOULD, r"deberían?|deberías|recomend\w*|recomiend\w*|conviene|aconseja\w*"),
        (
            Verb.NEED,
            r"tien(?:e|en|es) que|ha(?:y|n|s)? (?:que|de)|obligad[oa]s?|obligatori[oa]s?"
            r"|necesari[oa]s?|exig[ei]\w*|requier\w*|requerid[oa]s?|necesit(?:a|an)|hace falta",
        ),
        (Verb.MUST, r"deb(?:e|en|es|emos|erá|erán|erás)"),
        (
            Verb.MAY,
            r"pued(?:e|en|es)|podrá[ns]?|podemos|permitid[oa]s?|permit(?:e|en)"
            r"|autorizad[oa]s?|derecho",
        ),
    ),
}
NEGATIONS: Mapping[Language, str] = {
    Language.ENGLISH: r"not|cannot|no(?! \d)|never|none|nobody|nothing|neither",
    Language.GERMAN: r"nicht|kein\w*|nie|niemals|niemand\w*|nichts|weder",
    Language.FRENCH: r"ne|n'|aucune?|nul|personne ne|non|jamais",
    Language.SPANISH: r"no|nunca|jamás|ningun[oa]s?|ningún|nadie|nada|tampoco",
}
CONJUNCTIONS: Mapping[Language, str] = {
    Language.ENGLISH: r"and|but|or",
    Language.GERMAN: r"und|aber|jedoch|oder|sondern",
    Language.FRENCH: r"et|mais|ou",
    Language.SPANISH: r"y|e|pero|o|sino",
}

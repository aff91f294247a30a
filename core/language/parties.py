"""Who acts and who is meant, alike in English, German, French and Spanish, by lists of words.

Short of names: what stands in capitals, or has digits in it, is the same in every language, but for
the few abbreviations below.
"""

from collections import Counter
from collections.abc import Mapping

from core.expressions import expression

READ = 2_000
"""Characters of a text that are read."""
_PARTIES: Mapping[str, str] = {
    "employee": r"employees?|staff|mitarbeite\w*|mitarbeitend\w*|beschäftigte\w*|angestellte\w*"
    r"|arbeitnehmer\w*|salariée?s?|employée?s?|collaborat(?:eur|rice)s?|emplead[oa]s?"
    r"|trabajador(?:a|es|as)?|personnel",
    "manager": r"(?:line |direct )?managers?|supervisors?|vorgesetzte\w*|führungskr\w+"
    r"|managern?|supérieure?s?(?: hiérarchiques?)?(?! à)|gestionnaires?|responsables?"
    r"|superior(?:es)?(?: jerárquic\w+)?(?! a )"
    r"|jef[ae]s?|mandos?|superviseurs?|supervisor(?:a|es|as)?",
    "contractor": r"contractors?|auftragnehmer\w*|(?:externe\w* )?dienstleistende\w*|freelancer\w*"
    r"|prestataires?|sous-traitants?|contratistas?",
    "supplier": r"suppliers?|vendors?|lieferant\w*|fournisseurs?|proveedor(?:a|es|as)?",
    "customer": r"customers?|clients?|kund(?:e|en|in|innen)|clientèle|clientes?",
    "public official": r"public officials?|amtsträger\w*|beamt\w+|agents? publics?"
    r"|fonctionnaires?|funcionari[oa]s?(?: públic[oa]s?)?",
    "board": r"board|vorstand\w*|aufsichtsrat\w*|conseil d'administration|conseil de surveillance"
    r"|directoire|consejo de administración|junta directiva",
    "committee": r"committees?|ausschuss\w*|ausschüss\w*|komitee\w*|comités?",
    "personnel": r"hr|human resources|personalabteilung|personalwesen|rh|ressources humaines"
    r"|rr\. ?hh\.|recursos humanos",
    "legal": r"legal(?: department| team)?|rechtsabteilung|(?:service |direction )?juridique"
    r"|departamento jurídico|asesoría jurídica|departamento legal",
    "finance": r"finance(?: department| team)?|finanzabteilung|finanzen"
    r"|(?:service |direction )(?:financi\w+|des finances)|departamento (?:financiero|de finanzas)"
    r"|finanzas",
    "compliance": r"compliance|conformité|cumplimiento",
    "it": r"it~(?: department| team| security)?|(?:departamento de )?it~(?:-\w+)?"
    r"|it-abteilung|it-sicherheit"
    r"|service informatique|informatique|departamento de informática|informática",
    "security": r"security (?:team|department)|sicherheitsabteilung|sicherheitsteam"
    r"|service de sécurité|departamento de seguridad",
    "auditor": r"auditors?|(?:internal )?audit|prüfer\w*|revision|revisor\w*|auditeurs?"
    r"|auditor(?:a|es|as|ía)?",
    "works council": r"works council|betriebsrat\w*|comité social et économique"
    r"|comité d'entreprise|comité de empresa",
    "intern": r"interns?|praktikant\w*|stagiaires?|becari[oa]s?",
    "visitor": r"visitors?|besucher\w*|gäste?n?|visiteurs?|visitantes?",
    "family": r"famil(?:y|ies)(?: members?)?|familienangehörige\w*|familie\w*|famille\w*"
    r"|familiar(?:es)?|familias?",
    "competitor": r"competitors?|wettbewerber\w*|konkurrent\w*|concurrents?|competidor(?:a|es|as)?",
    "director": r"directors?|direktor\w*|geschäftsführe?r?\w*|direct(?:eur|rice)s?"
    r"|director(?:a|es|as)?",
    "colleague": r"colleagues?|co-workers?|kolleg\w+|collègues?|compañer[oa]s?|colegas?",
    "third party": r"third part(?:y|ies)|dritte[rn]?|tiers|terceros?",
}
_COMMON: Mapping[str, frozenset[str]] = {
    "GDPR": frozenset({"GDPR", "DSGVO", "RGPD"}),
    "EU": frozenset({"EU", "UE"}),
    "UK": frozenset({"UK", "VK", "RU"}),
    "US": frozenset({"US", "USA", "EE.UU", "EEUU"}),
    "USA": frozenset({"US", "USA", "EE.UU", "EEUU"}),
    "VAT": frozenset({"VAT", "MWST", "TVA", "IVA"}),
    "CEO": frozenset({"CEO"}),
    "AI": frozenset({"AI", "KI", "IA"}),
    "NDA": frozenset({"NDA", "NDAS"}),
}
_IN_LISTS = frozenset({"HR", "RH", "RRHH", "IT", "EUR", "USD", "GBP", "CHF"})
"""Abbreviations that are read as a party or a currency."""
_FOUND = expression(
    r"(?<![\w-])(?:"
    + "|".join(f"(?P<p{number}>{words})" for number, words in enumerate(_PARTIES.values()))
    + r")(?!\w)"
)
_NAMES = tuple(_PARTIES)
_THE_DEPARTMENT = expression(r"(?<!\w)IT(?!\w)")
_ABBREVIATION = expression(
    r"(?<![\w])(?=[A-Z0-9-]{0,19}[A-Z][A-Z0-9-]{0,19}[A-Z0-9])[A-Z0-9-]{2,20}(?!\w)"
)


def parties_in(text: str) -> Counter[str]:
    """Return who is named in a text, by the English word, and how often."""
    # In lower case "IT" would be a pronoun.
    kept = _THE_DEPARTMENT.sub("it~", text[:READ].replace("\u2019", "'"))
    read = " ".join(kept.lower().split())
    found = (one.lastgroup for one in _FOUND.finditer(read))
    return Counter(_NAMES[int(name[1:])] for name in found if name)


def missing_abbreviations(text: str, other: str) -> frozenset[str]:
    """Return the abbreviations of a text that another text has in no language."""
    there = other.upper()
    return frozenset(
        one
        for one in _ABBREVIATION.findall(text[:READ])
        if one not in _IN_LISTS
        and not any(form in there for form in _COMMON.get(one, frozenset({one})))
    )

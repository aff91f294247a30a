"""The labels under which documents state facts about themselves, in English and German."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledValue:
    """A label of a document and what stands by it."""

    label: str
    """As written."""
    value: str
    """As written, without quotes and comments; empty: nothing."""
    problem: str | None = None
    """Why it can't be read, and what to write instead; None: it can."""


ISSUED, LAST_DAY, REVIEW, UNUSED = "issued", "last_day", "review", ""
FIELDS: Final[Mapping[str, str]] = {
    label: field
    for field, labels in {
        "title": "title|policy title|document title|policy name|name of policy|titel",
        "policy_id": "policy id|document id|policy no|policy number|document number|document no"
        "|reference|policy reference|identifier|policy code|dokumentnummer|dokumenten id"
        "|richtliniennummer",
        "version": "version|revision|version no|version number|policy version|document version"
        "|fassung|versionsnummer",
        "owner": "owner|policy owner|document owner|responsible|responsible role|process owner"
        "|owned by|policy owner & approver|responsible department|responsible person"
        "|responsible officer|accountable owner|owning department|owning team|verantwortlich"
        "|verantwortliche stelle|verantwortliche person|verantwortlicher|verantwortlicher bereich"
        "|verantwortliche abteilung|richtlinienverantwortlich|richtlinienverantwortlicher"
        "|dokumentenverantwortlich|dokumentenverantwortlicher|eigentümer|dokumenteneigner|eigner"
        "|zuständig|zuständige stelle",
        "effective_from": "effective date|effective from|effective|valid from|in force from"
        "|date effective|in force since|start date|effective as of|effective on|in effect from"
        "|in effect since|takes effect on|comes into force on|enters into force on|valid since"
        "|applies from|commencement date|effective and last modified|gültig ab|gültig seit"
        "|gültig von|wirksam ab|wirksam seit|in kraft seit|in kraft ab|inkrafttreten"
        "|tritt in kraft am|gilt ab|gilt seit",
        LAST_DAY: "expiry date|expires|expires on|valid until|valid to|effective to|effective_until"
        "|effective until|effective through|end date|expiration date|in force until|gültig bis"
        "|gilt bis|in kraft bis",
        "jurisdiction": "jurisdiction|country|applies in|geographic scope|territory|land|gilt in"
        "|räumlicher geltungsbereich|rechtsordnung",
        "url": "url|policy url|canonical url|permalink|published at",
        "sensitivity": "sensitivity|sensitivity label|classification|information classification"
        "|data classification|security classification|document classification|confidentiality"
        "|klassifizierung|klassifikation|einstufung|vertraulichkeit|vertraulichkeitsstufe"
        "|schutzklasse",
        "review_by": "review by|next review|next review date|next review due|review due"
        "|review due date|due for review|date of next review|date for next review"
        "|next review due by|next review due on|review due by|next scheduled review"
        "|next policy review|to be reviewed by|nächste überprüfung|nächste prüfung"
        "|nächste revision|nächster review|nächstes review|überprüfung fällig|zu überprüfen bis"
        "|überprüfung bis|wiedervorlage",
        "verified_by": "verified by|verifier|geprüft von|geprüft durch",
        "status": "status|document status|policy status|approval status|dokumentstatus"
        "|dokumentenstatus|bearbeitungsstatus|freigabestatus",
        REVIEW: "review date|date of review|policy review date|review|überprüfungsdatum"
        "|datum der überprüfung|prüfdatum",
        ISSUED: "approved|approved on|approval date|date of approval|date approved|adopted|date"
        "|document date|issue date|date of issue|date issued|issued|issued on|published"
        "|publication date|last review|last reviewed|last reviewed on|last review date"
        "|date of last review|last updated|last update|last revised|last modified|reviewed on"
        "|previous review|stand|datum|freigabedatum|freigegeben am|letzte überprüfung"
        "|letzte prüfung|letzte änderung|letzte aktualisierung",
        UNUSED: "approved by|approver|approval|author|authors|prepared by|written by|issued by"
        "|reviewed by|reviewer|contact|department|company|supersedes|replaces|applies to"
        "|audience|distribution|scope|page|document type|category|review cycle|review frequency"
        "|technical owner|deputy owner|data owner|risk owner|freigegeben von|freigegeben durch"
        "|freigabe|genehmigt von|genehmigt durch|erstellt von|erstellt am|ansprechpartner|kontakt"
        "|abteilung|ersetzt|gilt für|geltungsbereich|verteiler|seite",
    }.items()
    for label in labels.split("|")
}
"""Label to key of `LoadedDocument.metadata`, or to one of these:

- `LAST_DAY`: the last day in force, as people write an end.
- `REVIEW`: the next review, unless the day is past when the document was issued.
- `ISSUED`: a day by which the document was there.
- `UNUSED`: it only ends what stands before it.
"""

DATED: Final = frozenset({"effective_from", "review_by", LAST_DAY, ISSUED, REVIEW})
"""Kinds of labels whose dates may follow without a colon."""


def plain_label(label: str) -> str:
    """Return a label in lower case, with single spaces, and without marks at its end."""
    return " ".join(label.replace("_", " ").replace("-", " ").lower().split()).rstrip(" :.*")


def kind_of(label: str) -> str | None:
    """Return what `FIELDS` says of a label; None: it is not among them."""
    return FIELDS.get(plain_label(label))


def field_of(label: str) -> str | None:
    """Return the key of `LoadedDocument.metadata` that a label gives; None: of none."""
    kind = kind_of(label)
    if not kind or kind == ISSUED:
        return None
    return {LAST_DAY: "effective_until", REVIEW: "review_by"}.get(kind, kind)

"""Check one proposed entity against the text, and build it from the text's own words.

- Sentence, name, numbers and modality are read from the text; the proposal only says which of them
  to read.
- The span of a norm, threshold or deadline is one sentence, as with the rules, so that both give
  the same entity the same key.
"""

import re
from collections.abc import Mapping, Sequence

from core.domain.ontology import NORMS, EntityKey, EntityType, ExtractedEntity
from core.domain.proposals import ProposedEntity
from core.language.content_words import content_words
from core.language.modality import Modality, modalities
from core.language.quantities import missing_quantities, quantities
from core.ontology.extract.comparisons import Measure
from core.ontology.extract.deadlines import unnumbered_deadline
from core.ontology.extract.entities import find_name, fingerprint, name_words, shortened, slug
from core.ontology.extract.exemptions import says_exception
from core.ontology.extract.measures import measure_of
from core.ontology.extract.norms import NORM_TYPES
from core.ontology.extract.not_binding import is_mere_chance
from core.ontology.extract.roles import find_roles
from core.ontology.extract.scope import (
    jurisdiction_aliases,
    jurisdiction_name,
    jurisdictions,
)
from core.ontology.extract.statements import clean
from core.ontology.model.quotes import MAX_NAME, Quoted, QuoteFinder, Rejection

PROPOSED_TYPES: tuple[EntityType, ...] = tuple(
    type_ for type_ in EntityType if type_ is not EntityType.SECTION
)
"""What may be proposed: sections are known already, and are called `section` in relations."""

_MEASURED = frozenset({EntityType.THRESHOLD, EntityType.DEADLINE})
_SAID_IN_WORDS = frozenset({EntityType.PROHIBITION, EntityType.PERMISSION})
_FREEING = frozenset({Modality.MAY, Modality.NEED_NOT})

_MAY_BE_DONE = re.compile(
    r"\b(?:may|can)(?: only| also)? be (?:\w+ly )?"
    r"(?:\w+(?:ed|en|wn|ught|old|ept)|made|paid|put|cut|set|sent|lent|spent|done|run)\b",
    re.IGNORECASE,
)
"""A passive: an act that is allowed, whereas "may be a criminal offence" is a possibility."""


class EntityReader:
    """Reads proposed entities of one part of a section.

    `abbreviations` are short forms of roles with their full names.
    """

    def __init__(
        self, finder: QuoteFinder, *, policy_key: str, abbreviations: Mapping[str, str]
    ) -> None:
        self._finder = finder
        self._key = policy_key
        self._known = abbreviations

    def read(self, proposed: ProposedEntity) -> ExtractedEntity | Rejection:
        """Return the entity as the text supports it, or why it does not."""
        if proposed.type not in PROPOSED_TYPES:
            return Rejection.UNKNOWN_TYPE
        type_ = EntityType(proposed.type)
        quoted = self._finder.find(proposed.quote, is_rule=type_ in NORMS | _MEASURED)
        if isinstance(quoted, Rejection):
            return quoted
        if type_ in NORMS:
            return self._norm(proposed, type_, quoted)
        if type_ in _MEASURED:
            return self._measure(proposed, type_, quoted)
        if type_ is EntityType.JURISDICTION:
            return _jurisdiction(proposed, quoted)
        return self._named(proposed, type_, quoted)

    def _norm(
        self, proposed: ProposedEntity, type_: EntityType, quoted: Quoted
    ) -> ExtractedEntity | Rejection:
        sentence, statement = quoted.sentence, quoted.statement
        actor = _said("actor", proposed, sentence)
        modality = _modality_as(type_, quoted)
        if modality is None:
            return Rejection.WRONG_MODALITY
        roles = find_roles(actor, self._known)
        attributes = {
            "actor": roles[0].name if roles else actor,
            "action": _said("action", proposed, sentence),
            "condition": _said("condition", proposed, sentence),
            "modality": "" if type_ is EntityType.EXCEPTION else modality.value,
            "sentence": sentence,
            "lead_in": statement.lead_in_words if statement else "",
        }
        key = f"{type_.value.casefold()}:{self._key}:{fingerprint(sentence)}"
        return _entity(key, type_, sentence, quoted, description=sentence, attributes=attributes)

    def _measure(
        self, proposed: ProposedEntity, type_: EntityType, quoted: Quoted
    ) -> ExtractedEntity | Rejection:
        if missing_quantities(proposed.name, [quoted.words]):
            return Rejection.NUMBER_NOT_IN_QUOTE
        measures = _measures(type_, quoted, proposed.name)
        if len(measures) != 1:
            return Rejection.NUMBER_NOT_IN_QUOTE
        (measure,) = measures
        sentence = quoted.sentence
        mark = fingerprint("|".join((sentence, measure.value, measure.unit, measure.comparison)))
        return _entity(
            f"{type_.value.casefold()}:{self._key}:{mark}",
            type_,
            f"{measure.words}: {shortened(sentence, 120)}",
            quoted,
            description=quoted.description,
            attributes={
                "kind": measure.kind,
                "value": measure.value,
                "unit": measure.unit,
                "comparison": measure.comparison,
                "sentence": sentence,
            },
        )

    def _named(
        self, proposed: ProposedEntity, type_: EntityType, quoted: Quoted
    ) -> ExtractedEntity | Rejection:
        if len(proposed.name) > MAX_NAME or not content_words(proposed.name):
            return Rejection.NAME_NOT_IN_QUOTE
        if type_ is EntityType.ROLE:
            for role in find_roles(quoted.words, self._known):
                if name_words(role.name) == name_words(proposed.name):
                    aliases = (role.short,) if role.short else ()
                    return _entity(role.key, type_, role.name, quoted, aliases=aliases)
        match = find_name(proposed.name, quoted.words)
        if match is None:
            return Rejection.NAME_NOT_IN_QUOTE
        name = " ".join(match[0].split())
        aliases = self._finder.aliases(proposed.aliases, name)
        if type_ is EntityType.DEFINITION:
            meaning = _said("meaning", proposed, quoted.words) or quoted.sentence
            return _entity(
                f"definition:{self._key}:{slug(name, singular=True)}",
                type_,
                name,
                quoted,
                aliases=aliases,
                description=quoted.description,
                attributes={"term": name, "meaning": meaning.strip(" .;")},
            )
        return _entity(
            self._key_of(type_, name),
            type_,
            name,
            quoted,
            aliases=aliases,
            description=self._finder.said(proposed.description),
        )

    def _key_of(self, type_: EntityType, name: str) -> str:
        if type_ is EntityType.POLICY:
            return f"policy:{slug(name)}"
        if type_ is EntityType.PROCESS:
            return f"process:{self._key}:{slug(name)}"
        return f"{type_.value.casefold()}:{slug(name, singular=True)}"


def _entity(
    key: str,
    type_: EntityType,
    name: str,
    quoted: Quoted,
    *,
    aliases: Sequence[str] = (),
    description: str = "",
    attributes: Mapping[str, str] | None = None,
) -> ExtractedEntity:
    return ExtractedEntity(
        key=EntityKey(key),
        type=type_,
        name=shortened(name),
        aliases=tuple(aliases),
        description=description,
        attributes={name: value for name, value in (attributes or {}).items() if value},
        spans=quoted.spans,
    )


def _jurisdiction(proposed: ProposedEntity, quoted: Quoted) -> ExtractedEntity | Rejection:
    codes = jurisdictions(proposed.name)
    if len(codes) != 1 or codes[0] not in jurisdictions(quoted.words):
        return Rejection.NAME_NOT_IN_QUOTE
    code = codes[0]
    return _entity(
        f"jurisdiction:{code.casefold()}",
        EntityType.JURISDICTION,
        jurisdiction_name(code),
        quoted,
        aliases=jurisdiction_aliases(code),
        attributes={"code": code},
    )


def _modality_as(type_: EntityType, quoted: Quoted) -> Modality | None:
    """Return the modality with which the text states such a norm; None if it does not."""
    sentence = quoted.sentence
    if type_ is EntityType.EXCEPTION and says_exception(sentence):
        return Modality.NONE
    start = sentence.find(quoted.words)
    end = start + len(quoted.words) if start >= 0 else len(sentence)
    start = max(start, 0)
    clauses = [each for each in modalities(sentence) if each.modality is not Modality.NONE]
    own = [c for c in clauses if c.span.char_start < end and start < c.span.char_end] or clauses
    if not own:
        return None if type_ in _SAID_IN_WORDS else Modality.NONE
    for clause in own:
        said = clause.span.of(sentence)
        is_chance = clause.modality is Modality.MAY and _is_chance(said)
        if type_ is EntityType.EXCEPTION:
            if clause.modality in _FREEING and not is_chance:
                return Modality.NONE
        elif NORM_TYPES[clause.modality] is type_ and not is_chance:
            return clause.modality
    return None


def _is_chance(said: str) -> bool:
    """Return whether "may" is about what can happen; that somebody acts is the model's claim."""
    return is_mere_chance(said, has_actor=True) and _MAY_BE_DONE.search(said) is None


def _measures(type_: EntityType, quoted: Quoted, named: str) -> list[Measure]:
    """Return the measures of the quote that are named; all of them if none is named."""
    text = quoted.statement.words if quoted.statement else quoted.words
    inside = {(each.kind, each.canonical) for each in quantities(quoted.words)}
    wanted = {(each.kind, each.canonical) for each in quantities(named)}
    found: dict[Measure, bool] = {}
    for quantity in quantities(text):
        form = (quantity.kind, quantity.canonical)
        measure = measure_of(quantity, text, type_) if form in inside else None
        if measure is not None:
            found[measure] = found.get(measure, False) or form in wanted
    if wanted:
        return [measure for measure, is_named in found.items() if is_named]
    if not inside and type_ is EntityType.DEADLINE:
        at_once = unnumbered_deadline(quoted.words)
        return [at_once] if at_once else []
    return list(found)


def _said(attribute: str, proposed: ProposedEntity, sentence: str) -> str:
    """Return an attribute if the sentence has exactly these words; else an empty string."""
    words = clean(proposed.attributes.get(attribute, ""))
    is_said = words and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", sentence)
    return words if is_said else ""

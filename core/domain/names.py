"""Roles and countries that a text names: a claim may name only those that its sources name."""

import re
from collections.abc import Sequence

from core.domain.jurisdictions import country_name, jurisdictions_in

_TITLED = re.compile(
    r"\b(?:(?:[A-Z][\w&-]*|of|and|the)\s+){0,5}"
    r"(?:Officer|Manager|Director|Committee|Counsel|Department|Board|Team|Head|Council|Office|Desk|Controller|Partner|Lead)\b"
    r"(?:\s+of\s+(?:the\s+)?[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*)*)?"
)
_OPENING = re.compile(
    r"^(?:(?:The|A|An|Each|Every|Any|No|Our|Your|If|When|Where|Unless|And|Or|of|and|the)\s+)+"
)


def missing_names(
    text: str, sources: Sequence[str], *, known: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the roles and countries that `text` names and none of `sources` does.

    Args:
        text: A claim.
        sources: Cited texts, and names that the ontology joins to them.
        known: Names of roles that are recognised in lower case too ("line manager").
    """
    around = " ".join(" ".join(source.split()) for source in sources).casefold()
    flat = " ".join(text.split())
    named = {_OPENING.sub("", found.group()).strip() for found in _TITLED.finditer(flat)}
    folded = flat.casefold()
    named |= {
        name for name in known if re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", folded)
    }
    missing = sorted(name for name in named if name and name.casefold() not in around)
    stated = jurisdictions_in(" ".join(sources))
    missing += [country_name(code) for code in sorted(jurisdictions_in(text) - stated)]
    return tuple(missing)

"""What the ontology in scope says that the stages need to know."""

from core.agent.conversation.understanding import ALL
from core.domain.answer import Branch
from core.domain.question import Question
from core.language.jurisdictions import NAMES, country_code, rules_of


def foreign_countries(
    question: Question, local: frozenset[str | None], *, asked: Branch | None = None
) -> frozenset[str]:
    """Return the countries with policies of their own that the question is not known to be about.

    Known are the conversation's country, what the asker said, and what the question names, but for
    a country to which somebody goes ("Can I work from Spain?"); whoever asked for all is told all.
    A corpus whose every policy is of one country is the company's own.
    There are none for a draft that is not told, but asks for the country (`asked`): it needs its
    claims to show that the rules of countries differ.
    """
    if asked is not None and asked.slot == "jurisdiction":
        return frozenset()
    if len(local) < 2:  # noqa: PLR2004 - nowhere and somewhere, or two countries
        return frozenset()
    said = [one.value for one in question.assumptions if one.slot == "jurisdiction"]
    if ALL in said:
        return frozenset()
    known = {question.scope.jurisdiction, *map(country_code, said)}
    known |= rules_of(question.standalone)
    return frozenset(code for code in local if code and code in NAMES and code not in known)

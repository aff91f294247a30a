"""Roles named in a text: offices, committees, departments and groups."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.language.text_cache import OpenedPattern, cached_by_text, word_set, words_of
from core.ontology.extract.entities import slug

_ABBREVIATIONS: Mapping[str, str] = {
    "CEO": "Chief Executive Officer",
    "CFO": "Chief Financial Officer",
    "COO": "Chief Operating Officer",
    "CCO": "Chief Compliance Officer",
    "CIO": "Chief Information Officer",
    "CISO": "Chief Information Security Officer",
    "CRO": "Chief Risk Officer",
    "CTO": "Chief Technology Officer",
    "CHRO": "Chief Human Resources Officer",
    "DPO": "Data Protection Officer",
    "MLRO": "Money Laundering Reporting Officer",
    "HR": "Human Resources",
    "GC": "General Counsel",
}
_OF_SOMETHING = (
    "project|program|programme|product|hiring|account|engineering|risk|office|store|branch"
    "|case|portfolio|delivery|team|people|practice|department|general|regional|area|facility"
    "|facilities|property|relationship|release|change|incident|data|network|sales|marketing|country"
    "|system|systems|senior|contract|compliance|privacy|quality|service|site|unit|operations|finance|procurement|grant"
)
"""What a manager may be of ("project managers"): another office than the manager of a person."""
_NOT_OF_SOMETHING = "".join(f"(?<!{word} )" for word in _OF_SOMETHING.split("|"))
_GROUPS: Mapping[str, str] = {
    r"(?<!government )(?<!public )(?<!state )employees?": "Employees",
    r"staff(?: members?)?(?! (?:discounts?|cards?|rooms?|meetings?|handbook|manual|polic(?:y|ies)"
    r"|records?|benefits?)\b)|members? of staff": "Staff",
    r"(?<!enforcement )(?<!customer )(?<!military )(?<!emergency )(?<!medical )"
    r"personnel(?! (?:files?|records?|matters?|actions?|forms?|decisions?|costs?)\b)": "Personnel",
    r"contractors?": "Contractors",
    r"line managers?": "Line Manager",
    rf"(?<!password )(?<!secrets )(?<!package )(?<!device )(?<!credential )(?<!task )(?<!window )"
    rf"(?<!security ){_NOT_OF_SOMETHING}managers?": "Manager",
    rf"(?:{_OF_SOMETHING}) managers?": "",
    r"supervisors?": "Supervisor",
    r"managing directors?": "Managing Director",
    r"executive director": "Executive Director",
    r"(?<!board of )(?:non-executive |executive )?directors": "Directors",
    r"(?:non-executive )?director": "Director",
    r"(?<!financial )(?<!executive )(?<!operating )(?<!information )(?<!police )(?<!compliance )"
    r"(?<!peace )(?<!public )officers": "Officers",
    r"suppliers?": "Suppliers",
    r"vendors?": "Vendors",
    r"consultants?": "Consultants",
    r"interns?": "Interns",
    r"apprentices?": "Apprentices",
    r"(?<!user )(?<!system )(?<!software )(?<!monitoring )(?<!security )agents": "Agents",
    r"third parties": "Third Parties",
    r"business partners?": "Business Partners",
    r"(?:temporary|agency) (?:staff|workers?)": "Temporary Staff",
    r"senior management": "Senior Management",
    r"department heads?|heads? of departments?": "Department Head",
    r"human resources(?! (?:polic(?:y|ies)|handbook|manual|procedures?|related|actions?|matters?"
    r"|issues?|records?|systems?|decisions?)\b)": "Human Resources",
    r"internal audit(?:ors?)?": "Internal Audit",
    r"works council": "Works Council",
    r"(?:it )?service desk|it help ?desk": "Service Desk",
    r"(?:information )?security team": "Security Team",
    r"payments operations team": "Payments Operations Team",
    r"legal (?:department|team)": "Legal Department",
    r"compliance (?:department|team|function)": "Compliance Department",
    r"finance (?:department|team)": "Finance Department",
    r"procurement (?:department|team)": "Procurement Department",
    r"data owners?": "Data Owner",
    r"ombudsperson|ombudsman": "Ombudsperson",
}
_HEAD = (
    r"(?:Officers?|Managers?|Directors?|Committee|Department(?! of\b)|Team|Board(?! of\b)|Counsel"
    r"|Auditors?"
    r"|Controller|(?<!Controlled )Function"
    r"|Council|Approvers?|Analyst|Specialist|Custodians?|(?<!Beneficial )Owners?|Administrators?"
    r"|Desk|Unit|Division"
    r"|(?<!Home )(?<!Central )(?<!Branch )(?<!Representative )(?<!Post )(?<!Head )Office"
    r"(?! Hours\b)"
    r"|Steward|Coordinators?|(?<!Meetings )Supervisors?|Regulator"
    r"|(?:(?<=Authorised )|(?<=Authorized )|(?<=Responsible )|(?<=Contact ))Persons?)"
)
"""The last word of an office; "employees" and "persons" are none, whatever stands before them."""
_NOT_FIRST = (
    r"(?!(?:The|This|That|All|Each|Any|Every|A|An|If|When|Where|No|Our|Your|These|Such|By|For|In"
    r"|Of|To|And|Or"
    r"|Unless|Only|Under|As|Upon|Prior|Relevant|Direct|Both|Final|Approved|Approval|Policy"
    r"|Required|Designated|United|States|Federal|Eligible|See|Contact|Ask|Email|Notify|Inform|Tell"
    r"|Provide|Assist|Help|Report|Call|Consult|Refer|Send|Submit|Alert|Support|Join|Meet|Use|Read"
    r"|Visit|View|Note|Please|Let|Escalate|Appoint|Assign|Give)\b)"
)
_TITLED = re.compile(
    r"(?<![\w-])(?P<name>Chief\s(?:[A-Z][a-z]+\s(?:and\s)?){1,3}Officer"
    r"|Board of Directors(?:\sAudit Committee)?"
    r"|(?:Group\s|Global\s|Regional\s|Deputy\s|Assistant\s|Associate\s|Executive\s)?"
    r"(?:Head|Director|Manager|Secretary|Dean|Vice President|VP) (?:of|for) (?:[A-Z][\w&-]+)"
    r"(?:\s(?:and\s)?[A-Z][\w&-]+){0,3}(?![\w&-]|\sof\b)"
    rf"|(?<!Federal )(?:Code of )?(?:{_NOT_FIRST}(?!AND\b"
    rf"|OR\b)[A-Z][\w&-]*+\s(?:(?:and|&)\s(?=[A-Z]))?){{1,4}}{_HEAD}\b(?!\s[Mm]embers?\b)"
    r"|(?:Internal Audit|Human Resources(?!\s(?:Polic|Handbook|Manual|Procedure))|General Counsel"
    r"|Legal Counsel|Accounts Payable|Works"
    r" Council"
    r"|Executive Committee|Regulator|Controller|Ombudsperson))"
    r"(?:\s\((?P<short>[A-Z]{2,5})\))?(?![\w-])"
)
_SHORT = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_ABBREVIATIONS)}|VP(?!\s(?!and\b|or\b)[A-Z]))(?!\w|-\w"
    rf"|\s(?:Links|Portal|System|Tool|Hub|Central)\b"
    rf"|(?:\s[A-Z]\w+){{0,2}}\s(?:Policy|Handbook|Manual|Guide|Guidelines|Procedure|Standard)\b)"
)
"""Not within an identifier ("HR-010")."""
_GROUP = OpenedPattern(
    pattern=re.compile(rf"\b(?<!non-)(?<!user-)(?:{'|'.join(_GROUPS)})\b(?!-\w)", re.IGNORECASE),
    opening=word_set(
        "employee employees staff member members personnel contractor contractors line manager"
        " managers supervisor supervisors managing executive non director directors officers"
        " supplier suppliers vendor vendors consultant consultants intern interns apprentice"
        " apprentices agents third business temporary agency senior department head heads human"
        " internal works it service information security payments legal compliance finance"
        " procurement data ombudsperson ombudsman"
    )
    | frozenset(_OF_SOMETHING.split("|")),
)
"""Not within a compound ("manager-level roles", "non-employees")."""
_NAMED_GROUPS = tuple(
    (re.compile(pattern, re.IGNORECASE), group) for pattern, group in _GROUPS.items()
)
_NEEDS: tuple[tuple[re.Pattern[str] | OpenedPattern, frozenset[str]], ...] = (
    (
        _TITLED,
        word_set(
            "officer officers manager managers director directors committee department team board"
            " counsel auditor auditors controller function council approver approvers analyst"
            " specialist custodian custodians owner owners administrator administrators desk unit"
            " division office steward coordinator coordinators supervisor supervisors regulator"
            " person persons head secretary dean president vp audit resources payable ombudsperson"
        ),
    ),
    (_SHORT, word_set(" ".join(_ABBREVIATIONS).casefold()) | {"vp", "vice"}),
    (
        _GROUP,
        word_set(
            "employee employees staff personnel contractor contractors manager managers supervisor"
            " supervisors director directors officers supplier suppliers vendor vendors consultant"
            " consultants intern interns apprentice apprentices agent agents parties partner"
            " partners worker workers management head heads department departments resources audit"
            " auditor auditors council desk helpdesk team function owner owners ombudsperson"
            " ombudsman"
        ),
    ),
)
"""Each pattern of roles, and words of which all its matches have one: most sentences have none."""
_CAPITALISED = re.compile(
    r"(?:Head|Secretary|Dean|President|VP) (?:of|for)|Officer|Manager|Director|Committee"
    r"|Department|Team|Board|Counsel|Auditor"
    r"|Controller|Function|Council|Approver|Analyst|Specialist|Custodian|Owner|Administrator|Desk"
    r"|Unit|Division|Office|Steward|Coordinator|Supervisor|Person|Regulator|Internal Audit"
    r"|Human Resources|Accounts Payable|Ombudsperson"
)
"""What a title has, which are slow to look for too."""
_ABBREVIATED = re.compile(
    r"(?<![A-Za-z0-9&-])((?:[A-Z][\w&-]{0,40}+\s(?:of\s|and\s|the\s)?){1,5})\(([A-Z]{2,5})\)"
)
_IN_BRACKETS = re.compile(r"\([A-Z]{2,5}\)")
_LONGEST_NAME = 256
"""Characters of a name before its abbreviation: five words of 41, with what joins them."""
_HALF_A_NAME = re.compile(
    r"(?<![.:;] )\b(?!(?:Head|Chair|Member|Vice|Part|Meeting)\b)[A-Z]\w+ of \Z"
)
"""Before the rest of a name ("University of Bath Police Department")."""
_KEPT = 64
"""Texts whose roles are kept: those of a few sentences."""
_SHORT_AT_END = re.compile(r"\s\([A-Z]{2,5}\)$")
_REACH = 110
_NAME_BEFORE = re.compile(
    r"(?<![.:;|]\s)(?<!\A)\b(?!(?:All|Any|Each|Every|The|An?|Our|Your|No|If|When|Where|Line)\s)"
    r"[A-Z][a-z]+\s\Z"
)
_NAME_GOES_ON = re.compile(r"\s[A-Z][a-z]{2,}")
OUTSIDE = frozenset({"Suppliers", "Vendors", "Third Parties", "Business Partners", "Agents"})
"""Who is no part of an organisation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleMention:
    """A mention of a role in a text."""

    key: str
    """The same for each mention of the role."""
    name: str
    """In full, singular for offices."""
    short: str | None
    """Abbreviation in use; None if none is known."""
    start: int
    """Where the mention begins in the text searched."""
    end: int
    """Where it ends."""


class Abbreviations(dict[str, str]):
    """Abbreviations of roles in one document, with their full names.

    Keeps which roles the last texts name: one sentence is asked for several purposes.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        """Keep nothing yet; the names must not change later."""
        super().__init__(names)
        self.last: dict[str, tuple[RoleMention, ...]] = {}


def abbreviations(text: str) -> Abbreviations:
    """Return common abbreviations and those that a document introduces ("... Officer (XYO)")."""
    found = dict(_ABBREVIATIONS)
    for match in _introduced(text):
        name, short = match[1].strip(), match[2]
        taken = [word for word in name.split() if word[0].isupper()][-len(short) :]
        full = name[name.index(taken[0]) :] if taken else name
        if "".join(word[0] for word in taken) == short and _TITLED.fullmatch(full):
            found[short] = full
    return Abbreviations(found)


def _introduced(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of `_ABBREVIATED`, looked for before what stands in brackets."""
    end = 0
    for brackets in _IN_BRACKETS.finditer(text):
        start = max(end, brackets.start() - _LONGEST_NAME)
        match = _ABBREVIATED.search(text, start, brackets.end())
        if match is not None:
            end = match.end()
            yield match


def find_roles(text: str, known: Mapping[str, str]) -> tuple[RoleMention, ...]:
    """Return the roles named in `text`, in order.

    Args:
        text: A sentence, without markup.
        known: Abbreviations with their full names.
    """
    if not isinstance(known, Abbreviations):
        return _find_roles(text, known)
    found = known.last.get(text)
    if found is None:
        if len(known.last) >= _KEPT:
            known.last.clear()
        found = known.last[text] = _find_roles(text, known)
    return found


def _find_roles(text: str, known: Mapping[str, str]) -> tuple[RoleMention, ...]:
    found: list[RoleMention] = []
    open_text, said = text, words_of(text)
    for pattern, needs in _NEEDS:
        if needs.isdisjoint(said) or (pattern is _TITLED and not _CAPITALISED.search(text)):
            continue
        for match in list(pattern.finditer(open_text)):
            if pattern is _GROUP and _is_in_name(open_text, match):
                continue
            if pattern is _TITLED and _is_several(open_text, match):
                continue
            start = match.start() + _joined(match[0], known)
            name, short = _named(match, text[start : match.end()], known)
            role = RoleMention(
                key=f"role:{slug(name, singular=True)}",
                name=name,
                short=short,
                start=start,
                end=match.end(),
            )
            found += [] if _NO_OFFICE.fullmatch(name) else [role]
            taken = "~" * (match.end() - start)
            open_text = f"{open_text[:start]}{taken}{open_text[match.end() :]}"
    return tuple(sorted(found, key=lambda role: role.start))


_NO_OFFICE = re.compile(
    r"(?:.*\s)?(?:Passwords?|Secrets?|Packages?|Credentials?|Tasks?|Devices?|Windows?|Keys?"
    r"|Sessions?"
    r"|Files?|Contents?|Tags?|Updates?|Licen[sc]es?|Configurations?|Connections?|Downloads?|Fonts?"
    r"|Plugins?|Domain|Vaults and)\s(?:Managers?|Controller|Administrator)|[A-Z]{2} Office"
)
"""What is a program, or a place, and not an office that somebody holds ("Password Manager")."""
_BARE_SECOND = re.compile(rf".*\sand\s{_HEAD}")
"""Two roles of which the second is one word ("People Partner and Manager")."""


def _is_in_name(text: str, match: re.Match[str]) -> bool:
    """Return whether a group is part of a name ("Employee Handbook", "Lead Tech Consultant")."""
    said = match[0]
    if not said[:1].isupper() or said.endswith("s"):
        return False
    if " " not in said and _NAME_BEFORE.search(text, max(0, match.start() - _REACH), match.start()):
        return True
    return _NAME_GOES_ON.match(text, match.end()) is not None


def _is_several(text: str, match: re.Match[str]) -> bool:
    """Return whether a title is the end of a list or of a name, or two roles."""
    name = match["name"]
    ahead = text[: match.start()]
    if (" and " in name and ahead.endswith(", ")) or _HALF_A_NAME.search(ahead[-_REACH:]):
        return True
    return _BARE_SECOND.fullmatch(name) is not None and _NO_OFFICE.fullmatch(name) is None


def _joined(name: str, known: Mapping[str, str]) -> int:
    """Return the length of what names another role before the last ("CCO and Legal Department")."""
    left, join, _ = name.rpartition(" and ")
    last = left.split(" ")[-1] if join else ""
    is_role = last in known or last == "VP" or re.fullmatch(_HEAD, last) is not None
    return len(left) + len(join) if is_role else 0


def _named(match: re.Match[str], said: str, known: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the full name and the abbreviation of a mention."""
    name = _SHORT_AT_END.sub("", " ".join(said.split()))
    if name in known:
        return known[name], name
    group = _group_of(name)
    if group is not None:
        return group, None
    shorts = [short for short, full in known.items() if full == name]
    return name, match.groupdict().get("short") or (shorts[0] if shorts else None)


@cached_by_text(longest=_REACH)
def _group_of(name: str) -> str | None:
    """Return the name of a group as it is kept, None if it is none."""
    group = next((group for pattern, group in _NAMED_GROUPS if pattern.fullmatch(name)), None)
    return group if group != "" else name.title().removesuffix("s")

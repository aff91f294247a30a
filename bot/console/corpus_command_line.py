"""What can be typed about a corpus: ingest it, look at it."""

import argparse
from pathlib import Path

from bot.console.options import (
    JSON,
    SCOPE,
    as_of,
    command,
    day,
    group,
    jurisdiction,
    names,
    option,
    path,
    reason,
)
from bot.console.policy_values import link, review_day, text_of

_COMMANDS = "bot.console.commands"

_ONE = "what is known of the policy (of one file)"
_EACH = "what is known of each policy given"
_CARE = "the same; an empty value takes it away (--owner=)"
INGEST = command(
    "ingest",
    f"{_COMMANDS}.ingest:ingest",
    option("paths", nargs="+", type=path, metavar="PATH", help="file or folder"),
    option(
        "--key",
        group=_ONE,
        type=text_of("key"),
        help="short identity, the same over all versions: gifts",
    ),
    option("--title", group=_ONE, type=text_of("title"), help="title as shown to people"),
    option("--label", group=_ONE, type=text_of("label"), help="version as its owner calls it: 2.0"),
    option(
        "--upload-id",
        group=_ONE,
        type=text_of("upload_id"),
        metavar="ID",
        help="your own identity of the upload",
    ),
    option(
        "--owner",
        group=_CARE,
        type=text_of("owner", may_be_none=True),
        help="role that answers for it",
    ),
    option(
        "--jurisdiction",
        group=_EACH,
        type=jurisdiction,
        metavar="DE",
        help="ISO 3166 code; default: everywhere",
    ),
    option(
        "--audience",
        group=_EACH,
        type=names,
        metavar="G1,G2",
        help="groups who may read it; default: everyone",
    ),
    option("--tags", group=_EACH, type=names, metavar="T1,T2", help="labels for scoping"),
    option("--effective-from", group=_EACH, type=day, metavar="DATE", help="first day in force"),
    option(
        "--effective-until",
        group=_EACH,
        type=day,
        metavar="DATE",
        help="first day no longer in force",
    ),
    option(
        "--url",
        group=_CARE,
        type=link,
        metavar="URL",
        help="where people read it, https://... (of one file)",
    ),
    option(
        "--sensitivity",
        group=_CARE,
        type=text_of("sensitivity", may_be_none=True),
        metavar="CLASS",
        help='how it is classified ("Internal")',
    ),
    option(
        "--review-by", group=_CARE, type=review_day, metavar="DATE", help="day of its next review"
    ),
    option(
        "--verified-by",
        group=_CARE,
        type=text_of("verified_by", may_be_none=True),
        metavar="WHO",
        help="who verified it as it stands",
    ),
    option(
        "--rag",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="index chunks for search, beside the facts (default: yes)",
    ),
    option(
        "--extract",
        choices=("rules", "claude"),
        default="rules",
        help="who reads the facts; claude: rules and Claude, section by section (default: rules)",
    ),
    option(
        "--dry-run",
        action="store_true",
        help="show what would be done, and what Claude would cost; store and send nothing",
    ),
    option(
        "--sync",
        dest="syncs",
        action="store_true",
        help="withdraw the policies whose files are gone from the folders, after a list",
    ),
    option("--yes", dest="is_sure", action="store_true", help="with --sync: without asking"),
    JSON,
    short="read policies into the corpus",
    text="""Reads policies: text, sections, facts and chunks. The same file again changes
nothing; a changed file becomes a new version, and the old one stays readable with `--as-of`. An
earlier text ingested again holds again. A file that can't be read is named and the others go on.

A policy is known by its key: the one that is given, else the "Policy ID" that the document says,
else the file's name. Two files of one run that would be one policy are both refused, unless each
is given the same key and an effective_from of its own: then they are its versions.

A policy whose file is gone from a folder is named, and stays in force until it is withdrawn: by
`citebound corpus withdraw`, or for all of them by `--sync`. A folder is known by its path.

A folder may hold `citebound.toml`, which says what is known of its files:

  ignore = ["*.png", "old"]     # names passed over, here and in the folders below
  key_prefix = "de"             # before keys that are not given: de-gifts
  url_base = "https://policies.example.com/de"   # where its files are read, by their names

  [[policy]]
  file = "gifts-v2.md"          # the only required field
  key = "gifts"                 # the same over all versions
  label = "2.0"
  title = "Gifts Policy"
  owner = "Compliance Officer"
  jurisdiction = "DE"
  audience = ["finance"]
  tags = ["gifts"]
  effective_from = 2025-07-01
  effective_until = 2026-07-01
  upload_id = "dms-4711"
  url = "https://policies.example.com/gifts"
  sensitivity = "Internal"
  review_by = 2026-06-30        # later, answers say that its review is overdue
  verified_by = "Group Legal"

Its files come first, in its order; the folder's other files follow by name. Options win over
the manifest, and both over what a document says of itself; what it says there and can't be used is
named. Files of other kinds, and links that lead nowhere, are named, and the exit code is 1, unless
their names are ignored.

What nobody says stays as it was: owner, address and class of the policy, and of the same text also
its next review and who verified it. An empty option (`--owner=`) takes such a value away.

With `--extract claude`, Claude reads each section besides the rules. A fact is kept if its quote
stands in the section word for word and bears it out; the others are counted by reason. A section
is sent once: the next run asks only for those that are new or failed, also of files that are
stored already. Cost is estimated before and said after. It needs ANTHROPIC_API_KEY.""",
    examples="""\
  citebound ingest policies/
  citebound ingest gifts.pdf --key gifts --label 2.0 --effective-from 2025-07-01
  citebound ingest treasury.docx --audience finance,board --tags payments
  citebound ingest policies/ --sync            and withdraw what is no longer there
  citebound ingest policies/ --extract claude --dry-run     what would it cost?""",
)
CORPUS = group(
    "corpus",
    command(
        "summary",
        f"{_COMMANDS}.corpus:summary",
        *SCOPE,
        JSON,
        short="counts",
        text="Counts policies, sections, chunks, entities and relations in scope.",
        examples="""\
  citebound corpus summary
  citebound corpus summary --as-of 2025-01-01 --json""",
    ),
    command(
        "list",
        f"{_COMMANDS}.corpus:list_policies",
        *SCOPE,
        JSON,
        short="policies in force",
        text="Lists the policy versions in force in the scope.",
        examples="""\
  citebound corpus list
  citebound corpus list --group finance --jurisdiction DE""",
    ),
    command(
        "validate",
        f"{_COMMANDS}.corpus:validate",
        *SCOPE,
        JSON,
        short="dangling references, conflicts, duplicates",
        text="""Checks the ontology: references that lead nowhere, entities without a relation,
duplicates, and policies in force that contradict each other. Exit code 1 if there is a problem.""",
        examples="""\
  citebound corpus validate
  citebound corpus validate --json""",
    ),
    command(
        "changes",
        f"{_COMMANDS}.changes:changes",
        option(
            "--since",
            type=as_of,
            metavar="DATE|edition:N",
            help="from this day on, or after this edition; default: the last seven days",
        ),
        JSON,
        short="what changed, policy by policy",
        text="""Says of each policy that is new, has a new version or was withdrawn which sections
were changed, added or removed, how many facts are new or gone, and which contradictions arose.
`ingest` and `sources sync` say the same of what they did.""",
        examples="""\
  citebound corpus changes
  citebound corpus changes --since edition:41
  citebound corpus changes --since 2026-11-01 --json""",
    ),
    command(
        "graph",
        f"{_COMMANDS}.corpus:draw_graph",
        *SCOPE,
        option(
            "-o",
            "--output",
            type=Path,
            default="citebound-graph.html",
            metavar="FILE",
            help=".html or .graphml; default: citebound-graph.html.",
        ),
        JSON,
        short="draw the ontology",
        text="Writes the ontology as one HTML page that needs no network, or as GraphML.",
        examples="""\
  citebound corpus graph -o graph.html
  citebound corpus graph -o graph.graphml --scope tags=gifts""",
    ),
    command(
        "readers",
        "bot.console.sources.removal:readers",
        option("keys", nargs="*", metavar="KEY", help="policies; default: all"),
        option("--source", metavar="NAME", help="of this source alone"),
        option(
            "--lift",
            dest="lifts",
            action="store_true",
            help="let those read again whom the texts name, where no source says so any more",
        ),
        option("--yes", dest="is_sure", action="store_true", help="lift without asking"),
        JSON,
        short="who may read policies, by their sources",
        text="""Lists the policies of which a document service said who may read them, with whom it
let and whom their texts name: somebody reads a policy who is of both. What a source said last stays
in force when it is removed; --lift ends that, is recorded, and widens nothing that a source still
says.""",
        examples="""\
  citebound corpus readers
  citebound corpus readers --source hr --lift
  citebound corpus readers gifts travel --lift --yes""",
    ),
    command(
        "withdraw",
        f"{_COMMANDS}.withdraw:withdraw",
        option("key", metavar="KEY", help="the policy, as `corpus list` names it"),
        option(
            "--from",
            dest="since",
            type=day,
            metavar="DATE",
            help="first day without it; default: today",
        ),
        option("--reason", type=reason, required=True, metavar="TEXT", help="kept in the record"),
        JSON,
        short="take a policy out of force",
        text="""From a day on, no answer rests on the policy any more; what an earlier day or
edition says stays as it was. It is recorded with its reason. The policy comes back with a new
version, or if its file is named to `ingest`; not because a folder still holds the same file.""",
        examples="""\
  citebound corpus withdraw gifts --reason "replaced by the conduct policy"
  citebound corpus withdraw gifts --from 2027-01-01 --reason "ends with the year\"""",
    ),
    command(
        "spaces",
        f"{_COMMANDS}.spaces:list_spaces",
        JSON,
        short="embedding spaces",
        text="Lists the embedding spaces: which one is in use, and how many chunks each one lacks.",
        examples="""\
  citebound corpus spaces
  citebound corpus spaces --json""",
    ),
    command(
        "embed",
        f"{_COMMANDS}.spaces:embed",
        option(
            "--space",
            metavar="SPACE",
            help="local, voyage or voyage:MODEL; default: what is set up.",
        ),
        option("--dry-run", action="store_true", help="show what would be done, and do nothing"),
        option(
            "--keep-old",
            is_either=True,
            action="store_true",
            default=True,
            help="keep the other spaces, to switch back without embedding (default)",
        ),
        option(
            "--drop-old",
            is_either=True,
            dest="keep_old",
            action="store_false",
            help="afterwards delete every space that does not serve",
        ),
        JSON,
        short="embed all chunks, and switch to their space",
        text="""Embeds every chunk that lacks a vector in an embedding space, then lets that space
serve. Questions are answered and policies ingested meanwhile. It can be interrupted and goes on
where it was; done again it changes nothing. Without `--space` it builds the space of the embedder
that is set up: Voyage with VOYAGE_API_KEY, else the local one.""",
        examples="""\
  citebound corpus embed --dry-run
  citebound corpus embed
  citebound corpus embed --space voyage:voyage-4-large --drop-old""",
    ),
    short="look at what was ingested",
    text="""Counts, lists, compares, checks and draws what was ingested, withdraws policies, and
embeds what there is anew. Without `--group`, policies of every audience are seen.""",
    examples="""\
  citebound corpus summary
  citebound corpus list --group finance
  citebound corpus validate
  citebound corpus graph -o graph.html""",
)

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
    last_day,
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
        type=last_day,
        metavar="DATE",
        help="last day in force",
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
        help="list and withdraw policies whose files are gone from the folders",
    ),
    option("--yes", dest="is_sure", action="store_true", help="with --sync: without asking"),
    JSON,
    short="read policies into the corpus",
    text="""Reads policies: text, sections, facts and chunks. Ingesting the same file again
changes nothing; a changed file becomes a new version, and the old one stays readable with
`--as-of`. Ingesting an earlier text brings it back into force. A file that can't be read is
reported, and the rest continue.

A policy is identified by its key: the one you give, else the document's "Policy ID", else the
file name. If two files in one run would be the same policy, both are refused, unless you give
them the same key and different effective_from dates: then they are its versions.

A policy whose file is gone from a folder is reported, and stays in force until withdrawn: by
`citebound corpus withdraw`, or all at once by `--sync`. A folder is identified by its path.

A folder may contain `citebound.toml`, with metadata for its files:

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
  effective_until = 2026-06-30  # the last day in force
  upload_id = "dms-4711"
  url = "https://policies.example.com/gifts"
  sensitivity = "Internal"
  review_by = 2026-06-30        # later, answers say that its review is overdue
  verified_by = "Group Legal"

Its files come first, in its order; the folder's other files follow by name. Options win over
the manifest, and both over what a document says of itself; what it says there and can't be used is
named. Files of other kinds, and links that lead nowhere, are named, and the exit code is 1, unless
their names are ignored.

Values that are not given stay as they were: the policy's owner, address and classification and,
while its text is unchanged, its next review and who verified it. An empty option (`--owner=`)
removes a value.

With `--extract claude`, Claude reads each section besides the rules. A fact is kept if its quote
is in the section word for word and supports it; the others are counted by reason. Each section
is sent once: the next run sends only new or failed ones, including those of files already
stored. The cost is estimated before and printed after. It needs ANTHROPIC_API_KEY.""",
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
        text="""Checks the ontology for dangling references, entities without a relation,
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
        text="""For each policy that is new, revised or withdrawn, shows which sections were
changed, added or removed, how many facts are new or gone, and any new contradictions. `ingest`
and `sources sync` print the same for their own changes.""",
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
            help="fall back to the readers named in the texts, where no source restricts them"
            " any longer",
        ),
        option("--yes", dest="is_sure", action="store_true", help="lift without asking"),
        JSON,
        short="who may read policies, by their sources",
        text="""Lists the policies whose readers come from a document service, with the groups
that the service allows and those that their texts name: readers must be in both. The service's
last word stays in force after its source is removed; --lift ends that and is recorded, but never
overrides a source that is still followed.""",
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
        text="""From the given day, no answer uses the policy; answers as of earlier days or
editions are unchanged. The reason is recorded. A new version brings the policy back, and so does
naming its file to `ingest`, but not a folder that still contains the same file.""",
        examples="""\
  citebound corpus withdraw gifts --reason "replaced by the conduct policy"
  citebound corpus withdraw gifts --from 2027-01-01 --reason "ends with the year\"""",
    ),
    command(
        "reread",
        f"{_COMMANDS}.reread:reread",
        option(
            "--extract",
            choices=("rules", "claude"),
            default="rules",
            help="who reads the facts; claude: also of policies that Claude has read before",
        ),
        JSON,
        short="read stored policies again after an upgrade",
        text="""Reads the stored files of policies that an earlier release has read, with this one.
What it reads as before stays; where facts differ, they replace those of the same version, in a new
edition, which is recorded and told to officers. Questions are answered meanwhile. It can be
interrupted and goes on where it was; done again it changes nothing. `citebound doctor` says whether
it is due. Withdrawn policies are left alone, and so is what came before the newest version.""",
        examples="""\
  citebound corpus reread
  citebound corpus reread --extract claude""",
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
        text="""Embeds every chunk that lacks a vector in an embedding space, then switches to
that space. Questions and ingestion continue meanwhile. If interrupted, it resumes; run again, it
changes nothing. Without `--space` it builds the space of the configured embedder: Voyage with
VOYAGE_API_KEY, else the local one.""",
        examples="""\
  citebound corpus embed --dry-run
  citebound corpus embed
  citebound corpus embed --space voyage:voyage-4-large --drop-old""",
    ),
    short="look at what was ingested",
    text="""Counts, lists, compares, checks and draws what was ingested, withdraws policies, and
re-embeds the corpus. Without `--group`, it covers policies for every audience.""",
    examples="""\
  citebound corpus summary
  citebound corpus list --group finance
  citebound corpus validate
  citebound corpus graph -o graph.html""",
)

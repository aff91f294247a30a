"""The words of `--help`: what each command is for, and how it is typed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """The help of one command."""

    short: str
    """In the list of commands."""
    long: str
    """Above the options."""
    examples: str
    """Below the options."""


TOP = """Answers compliance questions from your own policies. Every statement carries a
citation that was checked against the stored text; every question ends in one recorded outcome."""

TOP_EXAMPLES = """examples:
  citebound demo                      sample policies, one question of each kind, a chat
  citebound ingest policies/          read PDF, DOCX, Markdown, HTML or text
  citebound ask "May I accept a gift worth EUR 80?"
  citebound chat --jurisdiction DE    a conversation that remembers what was said
  citebound audit show ID             what was answered, on what grounds
  citebound doctor                    what is set up, what is missing, how to fix it

environment:
  CITEBOUND_HOME   where the embedded database lives (default: ~/.citebound)
  DATABASE_URL     a Postgres server with pgvector, instead of the embedded one
  VOYAGE_API_KEY   embeds with Voyage AI, instead of the local embedder

exit codes:
  0    any regular outcome, refusals among them
  1    a file could not be ingested or read whole, or `corpus validate` found a problem
  2    wrong usage
  3    configuration or database
  4    nothing has been ingested
  5    another command does what only one may do at a time: try again later
  6    `serve` or `work` stood still and ended itself: start it again
  7    something broke while `ask` answered; the record says `question:failed`
  130  interrupted
  141  whoever read the output stopped reading"""

INGEST = Help(
    short="read policies into the corpus",
    long="""Reads policies: text, sections, facts and chunks. The same file again changes
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

Its files come first, in its order; the folder's other files follow by name. Options win over
the manifest. Files of other kinds, and links that lead nowhere, are named, and the exit code is 1,
unless their names are ignored.

With `--extract claude`, Claude reads each section besides the rules. A fact is kept if its quote
stands in the section word for word and bears it out; the others are counted by reason. A section
is sent once: the next run asks only for those that are new or failed, also of files that are
stored already. Cost is estimated before and said after. It needs ANTHROPIC_API_KEY.""",
    examples="""examples:
  citebound ingest policies/
  citebound ingest gifts.pdf --key gifts --label 2.0 --effective-from 2025-07-01
  citebound ingest treasury.docx --audience finance,board --tags payments
  citebound ingest policies/ --sync            and withdraw what is no longer there
  citebound ingest policies/ --no-rag          facts only: answers rest on the graph alone
  citebound ingest policies/ --extract claude --dry-run     what would it cost?
  citebound ingest policies/ --extract claude
  citebound ingest policies/ --json""",
)
ASK = Help(
    short="ask one question",
    long="""Answers from the policies in force, with quotes; or asks back; or says why there is
no answer. Each outcome is recorded before it is shown.""",
    examples="""examples:
  citebound ask "May I accept a gift worth EUR 80?"
  citebound ask --jurisdiction DE --group finance "Who releases payments?"
  citebound ask --scope tags=gifts,travel --scope jurisdiction=GB "What is the limit?"
  citebound ask --as-of 2025-01-01 "What is the limit for gifts?"
  citebound ask --as-of edition:3 "What is the limit for gifts?"
  citebound ask --thread anna "How long are receipts kept?"
  citebound ask --thread anna "and for contractors?"
  citebound ask --no-rag --verbose "Who approves a business trip?"
  echo "What is a conflict of interest?" | citebound ask --json -""",
)
CHAT = Help(
    short="ask in a conversation",
    long="""A conversation that remembers what was said. Where a fact is missing, it offers
options: type the number of one, or your own words.

  /sources   the quotes of the last answer again
  /new       a new conversation
  /help      these commands
  /quit      leave (as do Ctrl-D and Ctrl-C)""",
    examples="""examples:
  citebound chat
  citebound chat --jurisdiction DE --thread anna
  printf 'May I accept gifts?\\nand for contractors?\\n' | citebound chat""",
)
CORPUS = Help(
    short="look at what was ingested",
    long="""Counts, lists, checks and draws what was ingested, withdraws policies, and embeds what
there is anew. Without `--group`, policies of every audience are seen.""",
    examples="""examples:
  citebound corpus summary
  citebound corpus list --group finance
  citebound corpus withdraw gifts --reason "replaced by the conduct policy"
  citebound corpus validate
  citebound corpus graph -o graph.html
  citebound corpus embed""",
)
CORPUS_SUMMARY = Help(
    short="counts",
    long="Counts policies, sections, chunks, entities and relations in scope.",
    examples="""examples:
  citebound corpus summary
  citebound corpus summary --as-of 2025-01-01 --json""",
)
CORPUS_LIST = Help(
    short="policies in force",
    long="Lists the policy versions in force in the scope.",
    examples="""examples:
  citebound corpus list
  citebound corpus list --group finance --jurisdiction DE""",
)
CORPUS_VALIDATE = Help(
    short="dangling references, conflicts, duplicates",
    long="""Checks the ontology: references that lead nowhere, entities without a relation,
duplicates, and policies in force that contradict each other. Exit code 1 if there is a problem.""",
    examples="""examples:
  citebound corpus validate
  citebound corpus validate --json""",
)
CORPUS_GRAPH = Help(
    short="draw the ontology",
    long="Writes the ontology as one HTML page that needs no network, or as GraphML.",
    examples="""examples:
  citebound corpus graph -o graph.html
  citebound corpus graph -o graph.graphml --scope tags=gifts""",
)
CORPUS_WITHDRAW = Help(
    short="take a policy out of force",
    long="""From a day on, no answer rests on the policy any more; what an earlier day or edition
says stays as it was. It is recorded with its reason. The policy comes back with a new version, or
if its file is named to `ingest`; not because a folder still holds the same file.""",
    examples="""examples:
  citebound corpus withdraw gifts --reason "replaced by the conduct policy"
  citebound corpus withdraw gifts --from 2027-01-01 --reason "ends with the year\"""",
)
CORPUS_SPACES = Help(
    short="embedding spaces",
    long="Lists the embedding spaces: which one serves, and how many chunks each one lacks.",
    examples="""examples:
  citebound corpus spaces
  citebound corpus spaces --json""",
)
CORPUS_EMBED = Help(
    short="embed all chunks, and switch to their space",
    long="""Embeds every chunk that lacks a vector in an embedding space, then lets that space
serve. Questions are answered and policies ingested meanwhile. It can be interrupted and goes on
where it was; done again it changes nothing. Without `--space` it builds the space of the embedder
that is set up: Voyage with VOYAGE_API_KEY, else the local one.""",
    examples="""examples:
  citebound corpus embed --dry-run
  citebound corpus embed
  citebound corpus embed --space voyage:voyage-4-large --drop-old
  citebound corpus embed --space local""",
)
AUDIT = Help(
    short="read the record",
    long="Reads the record: what was asked, what was answered, on what grounds.",
    examples="""examples:
  citebound audit list --outcome refused
  citebound audit show 0198c0de-0000-7000-8000-000000000000""",
)
AUDIT_SHOW = Help(
    short="one record",
    long="""Shows a record: the question, the answer, each claim with its quote and where it
stands, confidence, steps, and whether the stored bytes still have the recorded hash.""",
    examples="""examples:
  citebound audit show 0198c0de-0000-7000-8000-000000000000
  citebound audit show 0198c0de-0000-7000-8000-000000000000 --json""",
)
AUDIT_LIST = Help(
    short="latest records",
    long="Lists records, newest first.",
    examples="""examples:
  citebound audit list
  citebound audit list --outcome refused --limit 50 --json""",
)
DOCTOR = Help(
    short="what is set up, what is missing",
    long="""Checks Python, settings, database, corpus, embedder and reasoner, and says how to fix
what is missing. With `--live`, each model of a provider is called once. Exit code 3 if something
is broken. Secrets are not printed.""",
    examples="""examples:
  citebound doctor
  citebound doctor --live         do the keys work, do the models answer?
  citebound doctor --json""",
)
EVAL = Help(
    short="measure search and answers",
    long="Measures on labelled questions, in a database of its own.",
    examples="""examples:
  citebound eval retrieval --dataset obliqa --documents documents --questions dev.json
  citebound eval answers --questions samples/questions/test.jsonl
  citebound eval verify --pairs statements.jsonl""",
)
EVAL_RETRIEVAL = Help(
    short="does search find the gold passages?",
    long="""Loads passages as chunks into a database of its own (embedded once, then kept),
searches each question and prints recall@10, map@10, all_gold@10, pack_both, p50_ms and p99_ms.
`--reader` has the reader order the hits, as answering does; the times then include it.""",
    examples="""examples:
  citebound eval retrieval --dataset obliqa --documents documents --questions dev.json
  citebound eval retrieval --dataset obliqa --documents documents --questions dev.json \\
      --limit 200 --lexical-only
  citebound eval retrieval --dataset obliqa --documents documents --questions dev.json \\
      --limit 200 --reader
  citebound eval retrieval --dataset xref --documents documents --questions dev.jsonl --json""",
)
EVAL_ANSWERS = Help(
    short="do questions end as they should?",
    long="""Asks labelled questions about the sample policies and compares outcome and quotes.
`--ablate` deletes the gold sections first: a question that can no longer be answered should not
be.""",
    examples="""examples:
  citebound eval answers --questions samples/questions/test.jsonl
  citebound eval answers --questions samples/questions/test.jsonl --ablate --json""",
)
EVAL_DOCUMENTS = Help(
    short="are answers right on documents of other people?",
    long="""Ingests each document alone (kept), asks questions of it, and counts answers with the
right quote, with another one, closest passages and refusals. A line of FILE is a JSON object:
`document`, `question`, `expected_outcome` (answered or refused), `gold_quotes`.""",
    examples="""examples:
  citebound eval documents --questions workplace/questions/heldout.jsonl --alone
  citebound eval documents --questions workplace/questions/train.jsonl --limit 200 --only '*18f*'
  citebound eval documents --questions questions.jsonl --documents policies --json
  citebound eval documents --questions questions.jsonl --without-reader""",
)
EVAL_LATENCY = Help(
    short="how long does one wait?",
    long="""Asks labelled questions one at a time, recording included, and times the start of the
command with the database running.""",
    examples="""examples:
  citebound eval latency --questions samples/questions/test.jsonl""",
)
EVAL_VERIFY = Help(
    short="are right statements kept, wrong ones dropped?",
    long="""Holds labelled statements against the texts that they cite, by the checks that every
statement of an answer passes, and prints false alarms (supported statements that are rejected, by
check) and misses (unsupported ones that pass, by kind). Needs no database and no model.

Each line of the file is one JSON object:

  {"claim": "You have 15 days to file.", "sources": ["File within fifteen (15) days."],
   "supported": true, "kind": "faithful"}

`sources` are the cited texts in order, an item after its lead-in, a table row after its header.
`kind` says how it was made (faithful, neg, num, ...). `heading` may name the section, `question`
what was asked: its figures are no claims.""",
    examples="""examples:
  citebound eval verify --pairs statements.jsonl
  citebound eval verify --pairs statements.jsonl --json""",
)
DEMO = Help(
    short="see it work, on sample policies",
    long="""Ingests the sample policies into a database of their own (`CITEBOUND_HOME`/demo, or
DATABASE_URL), asks one question of each kind, and opens a chat at a terminal.""",
    examples="""examples:
  citebound demo
  citebound demo --no-chat""",
)
SERVE = Help(
    short="answer in Slack and Microsoft Teams",
    long="""Takes what Slack and Teams send, answers it and posts the answers, until SIGTERM. Behind
whatever does TLS Slack comes to `/slack/events`, Teams to `/api/messages`. Slack comes over sockets
if there is SLACK_APP_TOKEN and no SLACK_SIGNING_SECRET. With SLACK_CLIENT_ID instead of a bot token
several workspaces install the app, each at `/slack/install`. On a second port, of the loopback
unless CITEBOUND_OPERATIONS_HOST says otherwise, `/livez` and `/readyz` say how it is, `/metrics`
what it does. A platform without its secrets does not start: exit code 3.""",
    examples="""examples:
  citebound serve
  citebound serve --no-worker     take messages only; `citebound work` answers them""",
)
WORK = Help(
    short="more workers beside `serve`",
    long="Answers and posts what `citebound serve` takes in, until SIGTERM; as many as you like.",
    examples="""examples:
  citebound work""",
)
SLACK = Help(
    short="make the Slack app",
    long="What the Slack app is made from. docs/slack.md leads step by step to the first answer.",
    examples="""examples:
  citebound slack manifest --socket""",
)
SLACK_MANIFEST = Help(
    short="print the app's manifest",
    long="""Prints what api.slack.com/apps makes the app from ("From a manifest"): scopes, events,
command and shortcuts, and where Slack reaches you. With --socket nothing has to reach you; a --url
beside it is for installations by OAuth.""",
    examples="""examples:
  citebound slack manifest --socket
  citebound slack manifest --url https://citebound.example.com -o manifest.yaml""",
)
TEAMS = Help(
    short="make the Teams app",
    long="What Teams installs. docs/teams.md leads step by step to the first answer.",
    examples="""examples:
  citebound teams package --url https://citebound.example.com""",
)
TEAMS_PACKAGE = Help(
    short="build the app's zip",
    long="""Builds what is uploaded in Teams ("Upload an app") or in its admin centre: manifest
and icons, for your registration and your address. Without --app-id it takes APP_ID. Older admin
tools that refuse schema 1.30 take 1.25, which has no slash commands.""",
    examples="""examples:
  citebound teams package --url https://citebound.example.com
  citebound teams package --app-id 22222222-2222-4222-8222-222222222222 \\
    --url https://citebound.example.com --schema 1.25 -o citebound-teams.zip""",
)

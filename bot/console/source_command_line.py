"""What can be typed about sources: where policies come from and are kept current."""

from bot.console.options import JSON, command, group, names, option

_COMMANDS = "bot.console.commands.sources"
_NAME = option("name", metavar="NAME", help="as `citebound sources list` has it")
SOURCES = group(
    "sources",
    command(
        "add",
        f"{_COMMANDS}:add",
        option(
            "kind",
            choices=("folder", "git", "sharepoint", "confluence", "drive"),
            help="what kind of source",
        ),
        option("name", metavar="NAME", help="what to call it: lower-case letters, digits, hyphens"),
        option(
            "where", metavar="WHERE", help="the folder, or the address of the repository or site"
        ),
        option("--branch", metavar="B", help="git: the branch that is followed; default: main"),
        option(
            "--folder", metavar="DIR", help="git, sharepoint: the part that is read; default: all"
        ),
        option(
            "--library", metavar="L", help="sharepoint: the library, by name; default: the first"
        ),
        option(
            "--tenant",
            metavar="ID",
            help="sharepoint: the directory (tenant); default: APP_TENANTID, the bot's own",
        ),
        option(
            "--app",
            metavar="ID",
            help="sharepoint: the registration that reads; default: APP_ID, the bot's own",
        ),
        option(
            "--readers",
            choices=("source", "audience"),
            help="sharepoint, confluence, drive: who may read: source (default), whom its"
            " permissions let, as far as groups say; audience, whom --audience names alone",
        ),
        option(
            "--shared-links",
            choices=("nobody", "everyone"),
            help="sharepoint, drive: whom a link for the whole organization lets read here;"
            " default: nobody",
        ),
        option("--space", metavar="KEY", help="confluence: the space that is read"),
        option(
            "--api-token",
            choices=("classic", "scoped"),
            help="confluence: whether its API token has scopes; default: classic, without",
        ),
        option(
            "--everyone",
            metavar="G1,G2",
            help="confluence, drive: its groups that everyone of the organization is in"
            " (Confluence: by id; Drive: by address, also domains); what they may read there,"
            " everyone may here",
        ),
        option(
            "--every",
            type=str,
            default="1h",
            metavar="TIME",
            help="how often, as 15m, 1h or 1d; default: 1h",
        ),
        option(
            "--access-every",
            type=str,
            default="15m",
            metavar="TIME",
            help="how often to read who may read its documents, where it says that; default: 15m",
        ),
        option(
            "--withdraw",
            choices=("ask", "automatic"),
            default="ask",
            help="policies whose documents are gone: ask (default) leaves them in force until"
            " `sources withdraw`; automatic withdraws them, a tenth of the source at once at most",
        ),
        option(
            "--audience",
            type=names,
            metavar="G1,G2",
            help="groups that may read what says nothing else itself; default: everyone",
        ),
        option("--key-prefix", metavar="P", help="before the keys of its policies"),
        short="follow a source",
        text="""Registers a source of policies. From then on `citebound work` and `citebound
serve` keep the corpus in sync with it; `sources sync` does so at once. In a folder or
repository, citebound.toml files hold metadata, as for `ingest`. In Confluence each page of a
space is a policy, for those who may read it there. Put credentials in
CITEBOUND_SOURCE_NAME_TOKEN, with the source's name in capitals, or in a file named by
CITEBOUND_SOURCE_NAME_TOKEN_FILE: the token for a private repository; for SharePoint the client
secret of the registration, or its certificate; for Confluence an account and its API token, as
ACCOUNT:TOKEN; for Google Drive the key file of a service account.""",
        examples="""\
  citebound sources add folder hr /srv/policies/hr --every 15m
  citebound sources add git handbook https://git.example.com/compliance/policies.git \\
    --branch main --folder policies --withdraw automatic
  citebound sources add sharepoint hr https://contoso.sharepoint.com/sites/HR \\
    --library Policies --tenant 7a1c6f0e-52d4-4a8b-9b1e-3f1d0c2b4a59 \\
    --app 0d9e8c7b-6a5f-4e3d-8c2b-1a0f9e8d7c6b
  citebound sources add confluence people https://example.atlassian.net/wiki --space HR
  citebound sources add drive compliance https://drive.google.com/drive/folders/FOLDER_ID \\
    --everyone example.com""",
    ),
    command(
        "list",
        f"{_COMMANDS}:show_all",
        JSON,
        short="sources, and how current they are",
        text="Lists the sources: when each was last synchronised, what it contains, and any"
        " problems.",
        examples="""\
  citebound sources list
  citebound sources list --json""",
    ),
    command(
        "show",
        f"{_COMMANDS}:show",
        _NAME,
        option(
            "--others",
            action="store_true",
            help="list other files instead: pictures, archives, programs and the like",
        ),
        JSON,
        short="the documents of a source",
        text="""Lists each document with the policy that it is, or why it is none: failed (it can't
be read as it is), gone (its policy is still in force) or withdrawn.""",
        examples="""\
  citebound sources show handbook
  citebound sources show handbook --others""",
    ),
    command(
        "sync",
        f"{_COMMANDS}:sync",
        option("name", nargs="?", metavar="NAME", help="default: all"),
        JSON,
        short="sync the corpus now",
        text="""Lists a source's documents, ingests new and changed ones, and withdraws those
that are gone, as the source's --withdraw rule says. If interrupted, run it again to resume. Exit
code 1 if a document can't be read, or if policies await `sources withdraw`.""",
        examples="""\
  citebound sources sync
  citebound sources sync handbook --json""",
    ),
    command(
        "groups",
        f"{_COMMANDS}:groups",
        _NAME,
        option("group", nargs="?", metavar="ID", help="a group, as the list has it"),
        option("audience", nargs="?", metavar="GROUP", help="the audience group that it is"),
        option("--none", dest="is_none", action="store_true", help="unmap it"),
        short="groups that may read its documents",
        text="""Lists the groups that a source names as readers, or maps one of them to an
audience group. Unmapped groups let nobody read. Entra groups are mapped by `[entra_groups]` in
CITEBOUND_TEAMS_CONFIG; all others here. A mapping applies to all the source's policies at once,
and is recorded.""",
        examples="""\
  citebound sources groups people
  citebound sources groups people confluence:5f1d finance
  citebound sources groups people confluence:5f1d --none""",
    ),
    command(
        "withdraw",
        f"{_COMMANDS}:withdraw",
        _NAME,
        option("--yes", dest="is_sure", action="store_true", help="without asking"),
        short="withdraw what is gone",
        text="""Withdraws policies whose documents are gone from a source and that no
synchronisation withdrew automatically.""",
        examples="""\
  citebound sources withdraw handbook
  citebound sources withdraw handbook --yes""",
    ),
    command(
        "remove",
        "bot.console.sources.removal:remove",
        _NAME,
        option("--keep", action="store_true", help="its policies stay in force"),
        option(
            "--withdraw",
            dest="withdraws",
            action="store_true",
            help="its policies are withdrawn from today on, after a list and a question",
        ),
        option("--yes", dest="is_sure", action="store_true", help="withdraw without asking"),
        short="stop following a source",
        text="""Removes a source, and asks whether its policies stay in force or are withdrawn.
Its last limits on who may read them also stay, until `corpus readers --lift`.""",
        examples="""\
  citebound sources remove handbook --keep
  citebound sources remove handbook --withdraw""",
    ),
    short="where policies come from",
    text="""Follows folders, repositories, document libraries and wikis: what is added, changed or
deleted there is added, revised or withdrawn here, each time as a new edition, and recorded.""",
    examples="""\
  citebound sources add folder hr /srv/policies/hr
  citebound sources sync
  citebound sources list""",
)

"""What a file may be, told by its name: read, no policy at all, or a document that is not read.

One rule for folders, repositories and document services. Pictures, sound, films, archives and
programs lie beside policies and never are one: they are left out, and counted. All else that is not
read may be a policy, and so is named with what to do: a Word file of the nineties, a spreadsheet, a
kind that nobody here knows.
"""

from enum import Enum, auto
from fnmatch import fnmatchcase
from pathlib import PurePath

from core.domain.policy import ENDINGS, READABLE
from core.ingest.folder_manifest import MANIFEST

_ASIDE = (".*", "~$*", MANIFEST, "Thumbs.db", "desktop.ini")
"""What file managers, editors and we ourselves put beside policies: passed over without a word."""
_PICTURES = """
ai arw avif bmp cr2 cur dng dwg dxf emf eps gif heic heif icns ico jfif jpe jpeg jpg nef png
psd raw sketch svg svgz tga tif tiff webp wmf xcf
"""
_SOUND_AND_FILM = """
3gp aac aif aiff amr asf avi flac flv m4a m4v mid midi mkv mov mp2 mp3 mp4 mpeg mpg oga ogg
ogv opus srt vtt wav weba webm wma wmv
"""
_ARCHIVES = """
7z ace apk bz2 cab deb dmg gz img iso jar lz4 lzma msi pkg rar rpm tar tbz2 tgz war xz zip
zst
"""
_PROGRAMS = """
asm asp aspx bas bash bat bin cc cfg class clj cmd cmake coffee com conf cpp cs css cxx dart
db dll dylib elm env erl ex exe exs fish go gradle graphql groovy hbs hcl hpp hs ini ipynb
java js json json5 jsonl jsx jl kt kts less lock log lua map mjs ml mod mustache nix obj out
parquet php pl plist po pot properties proto ps1 psm1 py pyc pyi pyw rake rb rego rkt rs
sass scala scss service sh so sol sql sqlite sqlite3 sum svelte swift tf tfstate tfvars tmpl
toml ts tsx vb vbs vhd vim vue wasm xsd xsl yaml yml zig zsh
"""
_OF_COMPUTERS = """
bak crt cer csr crdownload eot ics otf p12 pem pfx swp tmp torrent ttf vcf woff woff2
"""
_OTHERS = frozenset(
    f".{one}"
    for kinds in (_PICTURES, _SOUND_AND_FILM, _ARCHIVES, _PROGRAMS, _OF_COMPUTERS)
    for one in kinds.split()
)
_NAMES = frozenset(
    """
authors codeowners contributors copying dockerfile gemfile jenkinsfile licence license makefile
notice procfile rakefile vagrantfile
""".split()  # noqa: SIM905  # as the lists above
)
"""Files without an ending that programs bring along."""


class FileKind(Enum):
    """What a file may be."""

    READ = auto()
    """A document of a kind that is read."""
    UNREAD = auto()
    """It may be a policy, and is of no kind that is read."""
    OTHER = auto()
    """Never a policy."""
    ASIDE = auto()
    """Part of how files are kept: not even counted."""


def kind_of(name: str) -> FileKind:
    """Return what a file may be, by its name."""
    if is_aside(name):
        return FileKind.ASIDE
    suffix = PurePath(name).suffix.lower()
    if suffix in ENDINGS:
        return FileKind.READ
    is_other = suffix in _OTHERS or (not suffix and name.lower() in _NAMES)
    return FileKind.OTHER if is_other else FileKind.UNREAD


def is_aside(name: str) -> bool:
    """Return whether file managers, editors or we ourselves put such a file beside policies."""
    return any(fnmatchcase(name, pattern) for pattern in _ASIDE)


def unread_reason(name: str) -> str:
    """Say why a document of no kind that is read is left out."""
    suffix = PurePath(name).suffix
    kind = f"named {suffix}" if suffix else "without an ending"
    return f"files {kind} are not read: save it as {READABLE}"

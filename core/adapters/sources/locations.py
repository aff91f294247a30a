"""Where a source lies, checked as it is typed: what each kind takes, and what it can't be.

Nothing is called, and no secret belongs here: what is returned is stored.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from core.config.settings import Settings, source_variable
from core.domain.errors import UsageError
from core.sources.connector import SourceKind

_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}")
_GUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DRIVE_FOLDER = re.compile(
    r"(?:https://drive\.google\.com/drive/(?:u/\d{1,3}/)?folders/)?([A-Za-z0-9_-]{10,200})"
    r"(?:\?[^\s#]{0,500})?"
)
_SPACE = re.compile(r"[A-Za-z0-9~._-]{1,255}")
_GROUP = re.compile(r"[^\s,\x00-\x1f]{1,200}")
_HERE = frozenset(["127.0.0.1", "::1", "localhost"])
"""Hosts that may be reached without encryption: this machine."""
_SSH = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s:]{1,500}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What a kind of source takes."""

    options: frozenset[str]
    """Beside `where`."""
    check: Callable[[Mapping[str, str], Settings], dict[str, str]]
    """Returns the location; see `checked_location`."""
    credential: str = ""
    """What has to stand in the variable of the source; empty: it may be unset."""


def checked_location(
    kind: SourceKind, given: Mapping[str, str], *, settings: Settings
) -> dict[str, str]:
    """Return where a source lies.

    Args:
        kind: of the source.
        given: `where`, and the options that were given, by name.
        settings: some kinds take what is not given from there.

    Raises:
        UsageError: It can't be one; the message says what is expected.
    """
    place = _PLACES[kind]
    for name in given:
        if name != "where" and name not in place.options:
            of = " and ".join(one.value for one in SourceKind if name in _PLACES[one].options)
            raise UsageError(f"--{name.replace('_', '-')} is for {of}, not for {kind.value}")
    return place.check(given, settings)


def credential_of(kind: SourceKind) -> str:
    """Return what the credential of a source has to be; empty: it may have none."""
    return _PLACES[kind].credential


def _folder(given: Mapping[str, str], _: Settings) -> dict[str, str]:
    folder = Path(given["where"]).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"there is no folder {str(folder)!r}")
    return {"folder": str(folder)}


def _git(given: Mapping[str, str], _: Settings) -> dict[str, str]:
    url, branch = given["where"], given.get("branch", "main")
    _check_repository(url)
    if not _BRANCH.fullmatch(branch) or ".." in branch:
        raise UsageError(f"expected the name of a branch, got {branch!r}")
    return {"url": url, "branch": branch, "folder": _inner_folder(given, "repository")}


def _check_repository(url: str) -> None:
    if _SSH.fullmatch(url):
        return
    parts = urlsplit(url)
    if parts.scheme not in {"https", "ssh", "file"}:
        raise UsageError(f"expected an address like https://host/repository.git, got {url!r}")
    if parts.password or parts.query or ("@" in parts.netloc and parts.scheme == "https"):
        raise _secret()


def _confluence(given: Mapping[str, str], _: Settings) -> dict[str, str]:
    site = _site(given["where"], like="https://example.atlassian.net/wiki")
    if not urlsplit(site).path:
        site = f"{site}/wiki"
    space = given.get("space", "")
    if not _SPACE.fullmatch(space):
        raise UsageError("expected --space with the key of a space, as HR in .../wiki/spaces/HR")
    found = {"url": site, "space": space, "everyone": _everyone(given), **_readers(given)}
    return found | ({"api_token": "scoped"} if given.get("api_token") == "scoped" else {})


def _drive(given: Mapping[str, str], _: Settings) -> dict[str, str]:
    found = _DRIVE_FOLDER.fullmatch(given["where"].strip())
    if found is None:
        raise UsageError(
            "expected a folder or shared drive, as https://drive.google.com/drive/folders/ID or its"
            f" ID, got {given['where']!r}"
        )
    return {"folder": found[1], "everyone": _everyone(given), **_readers(given)}


def _readers(given: Mapping[str, str]) -> dict[str, str]:
    """Return what is said of readers beside what is usual."""
    return {name: given[name] for name in ("readers", "shared_links") if name in given}


def _site(url: str, *, like: str) -> str:
    """Return the address of a site, to which credentials are sent."""
    parts = urlsplit(url.strip())
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _HERE)
    if "@" in parts.netloc:
        raise _secret()
    if not (is_safe and parts.hostname) or parts.query or parts.fragment or ".." in parts.path:
        raise UsageError(f"expected an address like {like}, got {url!r}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _everyone(given: Mapping[str, str]) -> str:
    named = [one.strip() for one in given.get("everyone", "").split(",") if one.strip()]
    for one in named:
        if not _GROUP.fullmatch(one):
            raise UsageError(f"expected groups for --everyone, apart by commas, got {one!r}")
    return ",".join(named)


def _secret() -> UsageError:
    return UsageError(
        "an address with a name, a password or what stands behind a ? would be stored: leave them"
        " out, and set"
        f" {source_variable('name')}, with the name of the source for NAME"
    )


def _inner_folder(given: Mapping[str, str], what: str) -> str:
    """Return the part of a source that is read; empty: all of it."""
    folder = given.get("folder", "")
    if Path(folder).is_absolute() or ".." in Path(folder).parts:
        raise UsageError(f"expected a folder in the {what}, got {folder!r}")
    return folder


def _sharepoint(given: Mapping[str, str], settings: Settings) -> dict[str, str]:
    site = given["where"].rstrip("/")
    parts = urlsplit(site)
    if "@" in parts.netloc:
        raise _secret()
    is_site = parts.scheme == "https" and parts.hostname and not parts.query
    if not is_site or re.search(r"\.aspx$|/Forms/|/:\w:/", parts.path):
        raise UsageError(
            "expected the address of a site, as https://contoso.sharepoint.com/sites/Policies (the"
            f" library by --library, a folder by --folder), got {site!r}"
        )
    tenant, app = given.get("tenant") or settings.app_tenant, given.get("app") or settings.app_id
    return {
        "site": site,
        "library": given.get("library", ""),
        "folder": _inner_folder(given, "library").strip("/"),
        "tenant": _guid(tenant, "--tenant, the id of the directory (tenant)"),
        "app": _guid(app, "--app, the id of the application (client) of the registration"),
        **_readers(given),
    }


def _guid(value: str | None, what: str) -> str:
    if not value or not _GUID.fullmatch(value):
        raise UsageError(f"expected {what}: a GUID" + (f", got {value!r}" if value else ""))
    return value.lower()


_PLACES: Mapping[SourceKind, _Place] = {
    SourceKind.FOLDER: _Place(options=frozenset(), check=_folder),
    SourceKind.GIT: _Place(options=frozenset({"branch", "folder"}), check=_git),
    SourceKind.CONFLUENCE: _Place(
        options=frozenset({"space", "everyone", "readers", "api_token"}),
        check=_confluence,
        credential="an account and its API token, as reader@example.com:TOKEN",
    ),
    SourceKind.SHAREPOINT: _Place(
        options=frozenset({"library", "folder", "tenant", "app", "readers", "shared_links"}),
        check=_sharepoint,
    ),
    SourceKind.DRIVE: _Place(
        options=frozenset({"everyone", "readers", "shared_links"}),
        check=_drive,
        credential="the key file of a service account",
    ),
}

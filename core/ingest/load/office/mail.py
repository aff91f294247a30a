"""E-mails, as files of mail programs (EML) and of Outlook (MSG): what the sender wrote.

- The subject is the title, the sender the owner, and what it says holds from the day it was sent:
  each unless the text says otherwise.
- Earlier messages below, signatures and attachments are none of it: they are left out, and named.
- HTML comes before plain text, since it keeps tables.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.policy import default
from email.utils import parseaddr

from oxmsg import Message

from core.domain.errors import DocumentError
from core.domain.policy import EML, MSG, LoadedDocument, MediaType
from core.ingest.load.builder import clean_line
from core.ingest.load.html import parse_html, read_page
from core.ingest.load.office.archive import office_file
from core.ingest.load.text import load_text
from core.ingest.metadata import LabelledValue, read_labels
from core.time_zones import day_in

_REPLY = re.compile(r"(?:\s{0,9}(?:re|aw|fwd?|wg)\s{0,9}:){1,20}\s{0,9}", re.IGNORECASE)
_EARLIER = re.compile(
    r"^\W{0,8}(?:-{2,20} ?(?:original message|ursprüngliche nachricht|forwarded message)\b"
    r"|(?:begin forwarded message|anfang der weitergeleiteten nachricht):"
    r"|(?:on|am) (?=[^\n]{0,200}(?:\d{4}|@))[^\n]{5,200}\n?[^\n]{0,100}\b(?:wrote|schrieb)\b"
    r"[^\n]{0,200}:"
    r"|(?:from|von): [^\n]{1,300}\n\W{0,8}(?:sent|date|gesendet|datum): )",
    re.IGNORECASE | re.MULTILINE,
)
"""How mail programs begin the message that is answered or forwarded, in English and German."""
_QUOTED = re.compile(r"^[ \t]{0,8}>.*\n?", re.MULTILINE)
_SIGNATURE = re.compile(r"^-- ?\r?\n", re.MULTILINE)
"""RFC 3676, 4.3; some programs drop the space."""
_APART = {
    **dict.fromkeys(
        ("gmail_quote", "yahoo_quoted", "moz-cite-prefix", "cite"), "an earlier message"
    ),
    **dict.fromkeys(("gmail_signature", "moz-signature", "Signature"), "the signature"),
}
"""Classes and ids of elements that are none of the message."""
_NAMES, _LONGEST_NAME = 5, 60
_ALONE = "it holds nothing but an earlier message: save that message itself"
_UNREAD = "its text is encrypted, or in Outlook's own form alone: save it as HTML or text"


def load_eml(data: bytes) -> LoadedDocument:
    """Read an e-mail as RFC 5322 defines it.

    Raises:
        DocumentError: corrupt, encrypted, or without a text of its own.
    """
    with office_file(data, is_archive=False) as file:
        message = message_from_bytes(file.read(), _class=EmailMessage, policy=default)
        bodies = [_decoded(message.get_body((kind,))) for kind in ("html", "plain")]
        parts = message.iter_attachments() if message.is_multipart() else ()
        attached = [part.get_filename() or "" for part in parts if part.is_attachment()]
        pairs = [("title", message["subject"]), ("owner", message["from"])]
        sent_at = message["date"].datetime if message["date"] else None
        return _loaded(EML, bodies, pairs, sent_at=sent_at, attached=attached)


def load_msg(data: bytes) -> LoadedDocument:
    """Read a message of Outlook.

    Raises:
        DocumentError: corrupt, encrypted, or without a text of its own.
    """
    with office_file(data, is_archive=False) as file:
        message = Message.load(file)
        bodies = [
            (one or "").encode("utf-8", "replace") for one in (message.html_body, message.body)
        ]
        attached = [part.file_name or "" for part in message.attachments]
        pairs = [("title", message.subject), ("owner", message.sender)]
        return _loaded(MSG, bodies, pairs, sent_at=message.sent_date, attached=attached)


def _decoded(part: MIMEPart | None) -> bytes:
    """Return the text of a part in UTF-8; in the encoding that it states, if that is one."""
    payload = part.get_payload(decode=True) if part is not None else b""
    data = payload if isinstance(payload, bytes) else b""
    try:
        return data.decode(str((part and part.get_content_charset()) or "utf-8")).encode()
    except (LookupError, ValueError):  # it is guessed then, as of any text
        return data


def _loaded(
    media_type: MediaType,
    bodies: Sequence[bytes],
    stated: Sequence[tuple[str, object]],
    *,
    sent_at: datetime | None,
    attached: Sequence[str],
) -> LoadedDocument:
    readers = zip((_read_html, _read_plain), bodies, strict=True)
    read = (reader(body) for reader, body in readers if body.strip())
    document = next((own for own in read if own.text), None)
    if document is None:
        raise DocumentError(_ALONE if any(bodies) else _UNREAD)
    values = {label: clean_line(str(value or "")[:1000]).text for label, value in stated}
    values["title"] = _REPLY.sub("", values["title"], count=1)
    values["owner"] = next(filter(None, parseaddr(values["owner"])), "")
    values["effective from"] = day_in(sent_at, sent_at.tzinfo or UTC).isoformat() if sent_at else ""
    said = read_labels(LabelledValue(label=label, value=value) for label, value in values.items())
    names = ", ".join(clean_line(name[:_LONGEST_NAME]).text for name in attached[:_NAMES])
    more = f" and {len(attached) - _NAMES} more" if len(attached) > _NAMES else ""
    note = [f"did not read {names}{more}: ingest attached rules as files"] if attached else []
    return replace(
        document,
        media_type=media_type,
        metadata=said.values,
        unused=said.unused,
        notes=(*document.notes, *note),
    )


def _read_html(body: bytes) -> LoadedDocument:
    root = parse_html(body)
    lost: list[str] = []
    for element in list(root.iter()):
        names = [
            *(element.get("class") or "").split(),
            element.get("id") or "",
            str(element.get("type")),
        ]
        kinds = [_APART[name] for name in names if name in _APART]
        if kinds and element.getparent() is not None:
            element.drop_tree()
            lost += kinds
    return _own(read_page(root), lost)


def _read_plain(body: bytes) -> LoadedDocument:
    text, quoted = _QUOTED.subn("", body.decode("utf-8", "surrogateescape"))
    text, *signature = _SIGNATURE.split(text, maxsplit=1)
    lost = [*["an earlier message"][:quoted], *["the signature"][: len(signature)]]
    return _own(load_text(text.encode("utf-8", "surrogateescape")), lost)


def _own(document: LoadedDocument, lost: Sequence[str]) -> LoadedDocument:
    """Return a message up to the earlier one that it answers, with notes of what is left out."""
    earlier = _EARLIER.search(document.text)
    end = len(document.text[: earlier.start()].rstrip()) if earlier else len(document.text)
    kinds = dict.fromkeys([*lost, *(["an earlier message"] if earlier else [])])
    return replace(
        document,
        text=document.text[:end],
        headings=tuple(one for one in document.headings if one.span.char_end <= end),
        tables=tuple(table for table in document.tables if table.char_end <= end),
        page_starts=(),
        left_out=(*document.left_out, *(f"left out {kind}" for kind in kinds)),
    )

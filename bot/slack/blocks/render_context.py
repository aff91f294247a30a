"""What a reply is rendered with, besides what is stored of it."""

from dataclasses import dataclass, field

from bot.replies.context import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where a reply goes, and what may be offered there."""

    library: Library = field(default_factory=Library)
    """Links and owners of policies."""
    asker: str = ""
    """Slack's id of who asked; empty if nobody is to be named."""
    has_file: bool = False
    """True: something was attached to the question, and the reply says that it was not read."""
    is_public: bool = False
    """True: others than the asker read it."""
    may_share: bool = False
    """True: the asker may share the answer in the channel from which it was asked."""

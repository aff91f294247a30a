"""What a reply is rendered with, besides what is stored of it."""

from dataclasses import dataclass, field

from bot.replies.context import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where a reply goes, and what may be offered there."""

    library: Library = field(default_factory=Library)
    """Links and owners of policies, and how sensitive they are."""
    asker: str = ""
    """Teams' id of who asked (`29:…`, or the object id); empty if nobody is to be named."""
    asker_name: str = ""
    """The name by which a mention shows the asker; empty: nobody is mentioned."""
    has_file: bool = False
    """True: something was attached to the question, and the reply says that it was not read."""
    is_public: bool = False
    """True: others than the asker read it; there Teams shows no suggested actions."""
    follow_ups: tuple[str, ...] = ()
    """Questions to go on with; three are offered."""
    may_share: bool = False
    """True: the asker may share the answer in the channel from which it was asked."""
    officers: tuple[str, ...] = ()
    """Teams' ids of officers, for whom the card of a case is kept fresh; 60 at most are used."""

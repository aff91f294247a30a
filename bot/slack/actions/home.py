"""Home and the agent's tab: what somebody sees who opens us, and what of theirs is still open."""

from dataclasses import KW_ONLY, dataclass
from datetime import tzinfo

from bot.replies.answer import question_of
from bot.replies.case_texts import COMPLIANCE
from bot.replies.context import Library
from bot.replies.safe_text import is_permalink
from bot.slack.actions.press_handlers import PLATFORM, account_of
from bot.slack.blocks.home_view import LISTED, Home, OpenQuestion, PolicyChange, home_view
from bot.slack.inbound.app_events import Opened
from bot.slack.inbound.interaction import SlackInteraction
from bot.slack.manifest import suggested_prompts
from bot.slack.outbound.audience import SlackAudience
from bot.slack.outbound.languages import SlackLanguages
from bot.slack.web.calls import MessageRef, Slack, links_to
from core.adapters.postgres.corpus.policy_facts import PostgresPolicyChanges
from core.agent.starters.service import StarterService
from core.cases.service import CaseService
from core.domain.case import UNSETTLED, Case, CaseState
from core.domain.case_actions import CaseRefused
from core.domain.conversation import Place
from core.domain.delivery import NoReaders, Readers
from core.domain.officers import Account
from core.language.interface.texts import Text, as_it_is
from core.language.languages import Language
from core.ports import CorpusStore
from core.ports.corpus import PolicyChanged
from core.ports.posted_answers import PostedAnswers
from core.time_zones import day_in

_STATES = {
    CaseState.OPEN: Text(
        "waiting for Compliance (case {number})", "wartet auf Compliance (Fall {number})"
    ),
    CaseState.CLAIMED: Text(
        "taken up by {officer} (case {number})", "übernommen von {officer} (Fall {number})"
    ),
}
_ASKED_BACK = Text("asked back: {question}", "Rückfrage: {question}")
_PROMPTS = Text("What would you like to know?", "Was möchten Sie wissen?")
_BECAME = {
    "added": Text("added", "neu"),
    "revised": Text("revised", "überarbeitet"),
    "withdrawn": Text("withdrawn", "zurückgezogen"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenItems:
    """What of one person's is not settled, the newest first."""

    for_asker: tuple[OpenQuestion, ...]
    """Questions back that they have not answered."""
    for_compliance: tuple[OpenQuestion, ...]
    """Cases that wait for an officer's answer."""


class OpenItemsFinder:
    """Lists what is open, with links."""

    def __init__(self, slack: Slack, desk: CaseService, shown: PostedAnswers) -> None:
        self._slack = slack
        self._desk = desk
        self._shown = shown

    async def of(self, who: Account, language: Language) -> OpenItems:
        """Return what of a person's is open."""
        asked, mine = await self._shown.asked_back(who), await self._desk.mine(who)
        cases = [one for one in mine if one.state in UNSETTLED]
        spots = [_spot(one.place, one.message_id) for one in asked[:LISTED]]
        spots += [None if one.permalink else _spot(one.place) for one in cases[:LISTED]]
        links = iter(await links_to(self._slack, spots))
        backs = [
            OpenQuestion(
                title=one.question,
                state=_ASKED_BACK.format(question=question_of(one.asked)).of(language),
                permalink=next(links, None) if number < LISTED else None,
            )
            for number, one in enumerate(asked)
        ]
        waits = [
            _case(one, next(links, None) if number < LISTED else None, language)
            for number, one in enumerate(cases)
        ]
        return OpenItems(for_asker=tuple(backs), for_compliance=tuple(waits))


def _spot(place: Place | None, message_id: str | None = None) -> MessageRef | None:
    return (
        None if place is None else MessageRef(channel=place.channel, ts=message_id or place.thread)
    )


def _case(case: Case, found: str | None, language: Language) -> OpenQuestion:
    officer = case.officer or COMPLIANCE.of(language)
    state = _STATES[case.state].format(officer=officer, number=case.number).of(language)
    told = case.permalink if case.permalink and is_permalink(case.permalink) else found
    return OpenQuestion(title=case.question, state=state, permalink=told)


@dataclass(frozen=True, slots=True)
class HomeTab:
    """Shows Home, and what to ask, to whoever opens us."""

    slack: Slack
    _: KW_ONLY
    corpus: CorpusStore
    changes: PostgresPolicyChanges
    audience: SlackAudience
    desk: CaseService
    waiting: OpenItemsFinder
    library: Library
    starters: StarterService
    languages: SlackLanguages
    name: str
    zone: tzinfo

    async def show(self, opened: Opened) -> None:
        """Show what belongs to what was opened; nothing to somebody from outside."""
        if opened.is_outside:
            return
        if opened.what == "home":
            await self._publish(
                Account(platform=PLATFORM, tenant=opened.tenant, person=opened.person)
            )
        elif opened.what in {"messages", "thread"}:
            await self._prompt(opened)

    async def redraw(self, interaction: SlackInteraction) -> None:
        """Show the Home of whoever pressed something there, as it is now."""
        if not interaction.is_outside:
            await self._publish(account_of(interaction))

    async def _publish(self, who: Account) -> None:
        view = home_view(await self._home(who))
        await self.slack.show("views.publish", view, user_id=who.person)

    async def _home(self, who: Account) -> Home:
        readers = await self._readers(who)
        language = await self.languages.of(who.person)
        if not isinstance(readers, Readers):
            return Home(name=self.name, may_ask=False, language=language)
        changed = await self.changes.latest(readers.groups, limit=LISTED)
        queue = await self.desk.queue(who)
        is_officer = not isinstance(queue, CaseRefused)
        mine = await self.waiting.of(who, language)
        return Home(
            name=self.name,
            language=language,
            starters=await self.starters.current(),
            waiting=mine.for_asker,
            questions=mine.for_compliance,
            changes=tuple(self._changed(one, language) for one in changed),
            edition=await self.corpus.current_edition(),
            published_on=day_in(changed[0].published_at, self.zone) if changed else None,
            cases=queue if is_officer else None,
            zone=self.zone,
            sees_reports=self.desk.is_on_call(who),
            hosts=self.library.hosts,
        )

    async def _readers(self, who: Account) -> Readers | NoReaders:
        """Return what somebody may read in their own conversation with us."""
        place = Place(platform=PLATFORM, tenant=who.tenant, channel="", thread="", mode="direct")
        return await self.audience.readers(place, who.person, is_direct=True)

    def _changed(self, changed: PolicyChanged, language: Language) -> PolicyChange:
        version = f" ({changed.label})" if changed.label else ""
        became = _BECAME.get(changed.became, as_it_is(changed.became)).of(language)
        return PolicyChange(
            title=changed.title,
            what=f"{became}{version}, {day_in(changed.published_at, self.zone)}",
            url=self.library.trusted(changed.url),
        )

    async def _prompt(self, opened: Opened) -> None:
        """Suggest what to ask to whoever may."""
        who = Account(platform=PLATFORM, tenant=opened.tenant, person=opened.person)
        prompts = suggested_prompts((await self.starters.current()).starters)
        if not prompts or not isinstance(await self._readers(who), Readers):
            return  # Slack takes no empty list
        language = await self.languages.of(opened.person)
        await self.slack.write(
            "assistant.threads.setSuggestedPrompts",
            channel_id=opened.channel,
            thread_ts=opened.thread_ts,
            title=_PROMPTS.of(language),
            prompts=prompts,
        )

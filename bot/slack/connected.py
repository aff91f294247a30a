"""Slack, wired: what the processes need of it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from slack_bolt.async_app import AsyncApp

from bot.intake import Intake
from bot.replies.library import Library
from bot.rights import read_rights
from bot.slack.asking import Asking
from bot.slack.audience import PostingAudience, SlackAudience
from bot.slack.calls import Slack, client_for
from bot.slack.choosing import Choosing
from bot.slack.evidence import Evidence
from bot.slack.home import Showing
from bot.slack.listeners import Keeper, build_app
from bot.slack.looking import Lookup
from bot.slack.post import SlackPoster
from bot.slack.pressing import Presses
from bot.slack.sender import Home
from bot.slack.setting import Setting
from bot.slack.setup import SlackSetup, find_home
from bot.slack.surface import Patience, SlackSurface
from core.bootstrap import Service
from core.domain.delivery import Delivery
from core.ports import Platform

NAME = "slack"
"""See `Place.platform`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """One workspace that we serve."""

    app: AsyncApp
    """Takes what Slack sends, once its signature is checked."""
    answering: Platform
    """For workers: membership may be some minutes old."""
    posting: Platform
    """For delivery: membership is read again."""
    presses: Presses
    """Where others may add handlers."""
    slack: Slack
    """The Web API."""
    home: Home
    """Who we are there."""


@asynccontextmanager
async def connected(
    service: Service, setup: SlackSetup, *, patience: Patience | None = None
) -> AsyncGenerator[Connected]:
    """Find out who we are, and wire what serves this workspace.

    Raises:
        ConfigError: The token is not taken, or a file of the setup can't be read.
    """
    rights = read_rights(setup.rights, variable="CITEBOUND_SLACK_CONFIG")
    slack = Slack(client_for(setup.bot_token, api_url=setup.api_url))
    home = await find_home(slack)
    audience = SlackAudience(slack, home, rights)
    library = Library()

    def setting_of(delivery: Delivery) -> Setting:
        is_public = not delivery.is_direct and delivery.place.mode != "direct"
        return Setting(library=library, asker=delivery.person, is_public=is_public)

    surface = SlackSurface(slack, team=min(home.teams), patience=patience)
    poster = SlackPoster(slack, setting_of=setting_of)
    intake = Intake(service.inbox)
    lookup = Lookup(service.shown, audience)
    presses = Presses(
        Choosing(slack, lookup, intake, service.clock).handlers(),
        Evidence(slack, lookup, service.shown, Setting(library=library)).handlers(),
        Asking(slack, intake, audience, service.clock, officers=setup.officers).handlers(),
    )
    keeper = Keeper(intake, service.conversations, home)
    showing = Showing(slack, service.corpus)
    yield Connected(
        app=build_app(slack, home, keeper, presses, showing.show),
        answering=Platform(audience=audience, surface=surface, poster=poster),
        posting=Platform(audience=PostingAudience(audience), surface=surface, poster=poster),
        presses=presses,
        slack=slack,
        home=home,
    )

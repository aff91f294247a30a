"""A recorded question with all that answering it again takes, read from the record alone.

What personal text a record committed to may have been erased since: then it can't be replayed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from core.agent.request import AskRequest
from core.confidence.calibration import Calibrations, calibrations_of
from core.domain.codec import value_of
from core.domain.conversation import ContextMessage, Place, context_of
from core.domain.errors import CiteboundError
from core.domain.json_value import JsonObject
from core.domain.limits import RunLimits
from core.domain.question import Assumption, Turn
from core.language.interface.texts import spoken
from core.ports import StoredCall


class ReplayImpossibleError(CiteboundError):
    """The record does not hold what a replay takes; the message says what is missing."""


class TextErasedError(ReplayImpossibleError):
    """A text that a replay takes was erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """A record that closes a question, with its texts."""

    document: JsonObject
    """The canonical document."""
    contents: Mapping[str, str]
    """Its personal texts by field; an erased one is missing."""
    problems: tuple[str, ...] = ()
    """What does not agree with its hashes; empty: intact, or erased."""

    def text(self, name: str) -> str:
        """Return a text.

        Raises:
            TextErasedError: It was erased, or it is a question that told of misconduct: of those
                the record has no words.
        """
        if name not in self.contents:
            raise TextErasedError(f"record {self.document['id']}: the text of {name!r} was erased")
        if name == "question" and not self.contents[name]:
            why = "it is a report of misconduct, of which the record keeps no words"
            raise TextErasedError(f"record {self.document['id']}: {why}")
        return self.contents[name]

    def value(self, name: str) -> Any:
        """Return a text that is JSON; empty where the record never had it.

        Raises:
            TextErasedError: It was erased.
        """
        return json.loads(self.text(name)) if name in self.document["content"] else []


@dataclass(frozen=True, kw_only=True)
class RecordedQuestion:
    """A question as it was answered."""

    record: StoredRecord
    """The record that closes it."""
    turns: Mapping[str, StoredRecord] = field(default_factory=dict[str, StoredRecord])
    """The records of the turns before it, by answer."""
    calls: Mapping[str, StoredCall] = field(default_factory=dict[str, StoredCall])
    """The stored replies of language models, by the hash of the request."""

    @property
    def record_id(self) -> str:
        """The record."""
        return str(self.record.document["id"])

    @property
    def question_id(self) -> str:
        """The question."""
        return str(self.record.document["question"]["id"])

    @property
    def outcome(self) -> str:
        """See `Outcome`."""
        return str(self.record.document["outcome"])

    @cached_property
    def trace(self) -> JsonObject:
        """How it was answered."""
        return self.record.value("trace")

    @cached_property
    def answer(self) -> JsonObject:
        """What was shown."""
        return self.record.value("answer_json")

    @property
    def searches(self) -> Sequence[JsonObject]:
        """See `core.agent.search_log`."""
        return self.record.value("searches")

    @property
    def models(self) -> Mapping[str, str | None]:
        """See `RunSetup.models`."""
        return self._setup["models"]

    @property
    def limits(self) -> RunLimits:
        """Bounds and thresholds that held for it."""
        return RunLimits(**self._setup["limits"])

    @property
    def calibrations(self) -> Calibrations:
        """The calibrations that held for it; those of this release if an earlier one wrote it."""
        return calibrations_of(self._setup.get("calibrations", {}))

    @property
    def versions(self) -> frozenset[int]:
        """Versions of policies that its evidence came from."""
        return frozenset(self.record.document["run"]["versions"])

    @property
    def _setup(self) -> Mapping[str, Any]:
        setup = self.record.document["run"].get("setup")
        if setup is None:
            why = ", ".join(self.record.document["run"]["warnings"])
            raise ReplayImpossibleError(
                f"record {self.record_id}: no answer was sought ({why})"
                if why and not self.trace["steps"]
                else f"record {self.record_id}: an earlier release wrote it, and did not keep what"
                " a replay takes"
            )
        return setup

    def request(self, *, today: date | None = None) -> AskRequest:
        """Return the message with its scope; with `today` as of that day and the newest edition.

        Raises:
            ReplayImpossibleError: What it takes is not there.
        """
        document, setup = self.record.document, self._setup
        question: Mapping[str, Any] = document["question"]
        as_of = today or date.fromisoformat(question["as_of"])
        # An earlier release did not store it, and said nothing of what is to come.
        is_other_day = today is None and question.get("is_other_day", True)
        return value_of(
            AskRequest,
            {**question, **setup},
            "groups jurisdiction tags use_rag is_unread is_addressed",
            text=self.record.text("question"),
            place=Place(
                platform=question["platform"], thread=self.record_id, mode=question["mode"]
            ),
            asker=document["actor"]["ref"],
            as_of=as_of,
            asked_on=as_of - timedelta(days=is_other_day),
            edition=None if today else document["run"]["edition"],
            context=_context(self.record),
            are_groups_unread=today is None and setup.get("are_groups_unread", False),
            language=spoken(setup.get("language", "")),  # an earlier release stored none
            question_id=None if today else question["id"],
        )

    def history(self) -> tuple[Turn, ...]:
        """Return the turns before it, oldest first.

        Raises:
            ReplayImpossibleError: One of them is not there any more.
        """
        wanted: Sequence[str] = self.record.document["question"]["turns"]
        missing = [answer_id for answer_id in wanted if answer_id not in self.turns]
        if missing:
            raise ReplayImpossibleError(
                f"record {self.record_id}: {len(missing)} earlier turns of its thread are missing"
            )
        return tuple(turn_of(self.turns[answer_id]) for answer_id in wanted)


def turn_of(record: StoredRecord) -> Turn:
    """Return what a later question of the thread is given of a recorded one."""
    document, answer = record.document, record.value("answer_json")
    question: Mapping[str, Any] = document["question"]
    policies: Sequence[str] = [one["policy"] for one in answer["citations"]]
    return value_of(
        Turn,
        answer,
        "outcome answer slot options refusal",
        question=record.value("trace")["standalone"],
        groups=frozenset(question["groups"]),
        context=_context(record),
        asker="" if question["platform"] == "console" else document["actor"]["ref"],
        assumptions=_assumptions(record),
        policies=tuple(dict.fromkeys(policies)),
        answer_id=document["subject"],
    )


def _context(record: StoredRecord) -> tuple[ContextMessage, ...]:
    return context_of(record.value("context"))


def _assumptions(record: StoredRecord) -> tuple[Assumption, ...]:
    values: Mapping[str, str] = record.value("assumptions")
    return tuple(
        value_of(Assumption, stored, "slot source", value=values[stored["slot"]])
        for stored in record.document["assumptions"]
    )

"""Whether a message has anything to do with a company and its policies."""

from typing import Protocol


class OffTopic(Protocol):
    """Tells the weather from the works council. Safe from many tasks."""

    async def likelihood(self, text: str, /) -> float:
        """Return how likely a message is about none of a company's affairs, in [0, 1].

        Raises:
            ContractError: The model can't be run; take the message for a question about policies.
        """
        ...

"""A run that its language model could not bring to an end."""

from core.domain.errors import CiteboundError
from core.domain.run import ModelCall


class AbandonedError(CiteboundError):
    """The language model could not bring this run to an end."""

    def __init__(self, *, cause: Exception, model_calls: tuple[ModelCall, ...]) -> None:
        """Keep what ended the run and what it had cost until then."""
        super().__init__(str(cause) or type(cause).__name__)
        self.cause = cause
        self.model_calls = model_calls

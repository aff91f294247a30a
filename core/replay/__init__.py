"""Answer a recorded question again: as it was answered then, or as it would be today."""

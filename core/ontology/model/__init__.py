"""Facts that a model proposes, held to the text."""

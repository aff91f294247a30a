"""Whether a text bears a statement out, and what it says in short. Pure."""

"""Whether a text bears a statement out, judged by code, and what it says in short. Pure."""

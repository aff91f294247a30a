"""Teams' connector service: how it is called, and what came of a call."""

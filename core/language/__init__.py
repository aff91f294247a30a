"""What sentences say, without a model: pure functions of a text; the standard library alone."""

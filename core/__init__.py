"""Everything that decides, without knowing where a question was asked."""

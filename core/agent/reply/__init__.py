"""From what was decided to the words that a person reads."""

"""How documents state facts about themselves: labels, labelled values, dates."""

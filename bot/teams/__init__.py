"""Microsoft Teams: what it sends becomes messages, what is stored becomes activities and cards."""

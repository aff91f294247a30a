"""Store a message before it is acknowledged."""

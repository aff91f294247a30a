"""Post the replies of a conversation, each once."""

"""Answer the messages of a conversation, one after the other."""

"""Messages, Adaptive Cards and dialogs. Pure."""

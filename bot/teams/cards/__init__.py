"""What Teams shows: messages, Adaptive Cards and dialogs. Pure."""

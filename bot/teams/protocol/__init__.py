"""The words of the Bot Framework: activities, conversations, senders, addresses."""

"""What Slack and Teams need kept: installations, conversations, posted answers."""

"""What Slack sends, read: events, commands, presses."""

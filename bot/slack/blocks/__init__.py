"""What Slack shows: messages, modals and views as Block Kit. Pure."""

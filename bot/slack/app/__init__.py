"""The Slack app put together: workspaces, listeners, checks of its set-up."""

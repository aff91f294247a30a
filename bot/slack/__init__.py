"""Slack: what it sends becomes messages of ours, and replies of ours become what it takes."""

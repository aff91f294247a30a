"""What the Slack app is made from, and which settings it needs."""

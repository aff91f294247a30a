"""What people press, call and open in Slack, each with who may do it."""

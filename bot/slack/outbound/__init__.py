"""What is posted to Slack, and what is shown while an answer is made."""

"""What is posted to Teams, and what is shown while an answer is made."""

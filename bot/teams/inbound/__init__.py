"""What Teams sends, read: messages, questions, members."""

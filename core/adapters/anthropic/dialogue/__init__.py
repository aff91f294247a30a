"""What is said to a model about a question, and what its replies are held to."""

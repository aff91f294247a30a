"""Claude as a grader of answers and as a writer of questions; for measuring alone."""

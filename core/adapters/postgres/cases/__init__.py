"""Cases and feedback: rows, log, what is posted about them."""

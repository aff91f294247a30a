"""Office files other than Word's, and e-mails."""

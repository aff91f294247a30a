"""Files and folders on their way into the corpus."""

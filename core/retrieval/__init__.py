"""From a question's words to ranked chunks: the pure parts of search, and its orchestration."""

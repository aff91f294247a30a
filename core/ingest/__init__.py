"""Files to stored knowledge: load, describe, split into sections, cut into chunks, publish."""

READING = 1
"""Generation of the code that reads documents: loading, sections, chunks and the rules' facts.

Raise it where a file is read otherwise than before: `citebound corpus reread` is then due.
"""

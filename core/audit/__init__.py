"""The record: canonical bytes, commitments, documents."""

"""Policies and their versions, sections, chunks, references."""

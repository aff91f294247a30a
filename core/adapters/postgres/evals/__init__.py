"""Databases of evaluated corpora."""

"""Postgres: knowledge, search, conversations and the record."""

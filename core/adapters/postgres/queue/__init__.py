"""Finds what is due among inbox and outbox, and what both of them share."""

"""Connectors of sources: each reads one kind of place where policies are kept."""

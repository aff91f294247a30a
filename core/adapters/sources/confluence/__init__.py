"""Confluence: a space of pages, by its REST API."""

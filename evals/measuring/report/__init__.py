"""A run as a page for officers."""

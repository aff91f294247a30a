"""Bounds of what a reasoner may ask."""

MAX_ASKED = 500
"""Characters of a question back."""

"""Installations and their tokens: OAuth, rotation, and their end."""

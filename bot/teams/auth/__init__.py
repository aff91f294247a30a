"""Tokens: those that Teams shows us, and ours for its connector."""

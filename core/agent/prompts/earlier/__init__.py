"""Prompts of earlier versions, word for word: recorded runs name them, and shadow runs try them."""

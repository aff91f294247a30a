"""Labelled questions and what is measured on them."""

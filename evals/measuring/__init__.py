"""Labelled questions about an operator's own documents, and what is measured on them."""

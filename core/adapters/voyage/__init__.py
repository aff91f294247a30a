"""Voyage AI: embeddings and rerank over HTTP, through its SDK; loaded only where a key is set."""

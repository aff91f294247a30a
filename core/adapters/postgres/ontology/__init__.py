"""The ontology: written by ingest, read by questions and tools."""

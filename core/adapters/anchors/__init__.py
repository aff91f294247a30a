"""Anchors: places outside the database in which checkpoints of the ledger are kept."""

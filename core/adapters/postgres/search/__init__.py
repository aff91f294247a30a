"""Search by words and meaning, and its indexes."""

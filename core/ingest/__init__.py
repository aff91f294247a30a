"""Files to stored knowledge: load, describe, split into sections, cut into chunks, publish."""

"""Files to stored knowledge.

Load, describe, split into sections, cut into chunks. Pure functions on bytes.
"""

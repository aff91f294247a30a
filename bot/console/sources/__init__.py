"""What `citebound sources` shows, and the groups that sources name."""

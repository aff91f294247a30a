"""The processes that serve chat platforms: `citebound serve` and `citebound work`."""

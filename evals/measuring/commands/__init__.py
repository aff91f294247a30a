"""The commands of `citebound eval`."""

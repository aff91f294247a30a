"""Facts read from policies by rules."""

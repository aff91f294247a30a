"""`citebound eval` over labelled questions."""

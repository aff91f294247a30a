"""The checks of `citebound doctor`."""

"""The words of the product as frozen values: standard library only, no I/O."""

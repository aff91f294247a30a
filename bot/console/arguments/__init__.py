"""What can be typed after `citebound`. Imports nothing heavy."""

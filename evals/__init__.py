"""Measuring: `measuring` is what `citebound eval` runs, and the only part that is installed.

Beside it stand what developers measure (`python -m evals`), and what made the models that ship.
"""

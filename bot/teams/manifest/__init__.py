"""The package that Teams installs."""

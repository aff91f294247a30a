"""Question sets asked at the command line: of what, with what, and what came out."""

"""How the reader was trained and measured. `README.md` has the order of the commands."""

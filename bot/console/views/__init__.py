"""What the terminal shows. Pure, but for its streams."""

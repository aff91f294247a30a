"""What a message means in its thread."""

"""What the officers' console stores and reads."""

"""What replies say, the same on every platform. Pure."""

"""Jobs, and what holds them back or frees them."""

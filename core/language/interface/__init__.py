"""What the product itself says, in each language of its interface."""

"""What made the models that ship with the product; not in the wheel."""

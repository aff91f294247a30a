"""What forms ask and what views show, as data: each platform only draws it."""

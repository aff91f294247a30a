"""Forms and views as data; each platform only draws them. Pure."""

"""Who reads what is posted, as far as no platform says it by itself."""

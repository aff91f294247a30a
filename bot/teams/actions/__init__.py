"""What people press, call and open in Teams, each with who may do it."""

"""Past questions answered by what is to come, beside what was answered then."""

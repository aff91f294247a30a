"""Settings: read once from the environment, validated, frozen."""

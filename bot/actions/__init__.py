"""What people press, decided once for every platform: each takes a press and returns an outcome."""

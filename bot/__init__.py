"""Chat surfaces and processes: everything that talks to people; no policy logic."""

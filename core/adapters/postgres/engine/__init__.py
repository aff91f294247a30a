"""The database itself: connections, tables, locks, units of work."""

"""Google Drive: a folder or a shared drive, by its REST API."""

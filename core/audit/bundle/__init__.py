"""The bundle of records that leaves the company, and proves itself."""

"""What officers read of the record, and who they are."""

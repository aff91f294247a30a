"""The outside: Postgres, embedders, the clock. SDKs stay here."""

"""The inbox and outbox: what people wrote, and what they are answered."""

"""What a reply says on every platform: pure, and below the surfaces that say it."""

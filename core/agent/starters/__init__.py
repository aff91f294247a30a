"""Questions to begin with: worded from what the policies say, and kept if they are answered."""

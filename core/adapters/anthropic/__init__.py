"""Claude: proposes answers and facts, over the Messages API of any provider."""

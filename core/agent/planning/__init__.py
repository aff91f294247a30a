"""What a question is about: intent, facets that rules branch on, terms, and the facts they meet."""

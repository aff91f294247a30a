"""The ontology of the policies: facts read by rules, the graph of them, tools and lint."""

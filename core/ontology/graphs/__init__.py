"""The ontology as a graph: chains, conflicts, what its owners should look at."""

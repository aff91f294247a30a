"""Tools by which a reasoner asks the ontology."""

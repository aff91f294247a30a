"""The reasoner without a model: plans by rules and answers with verbatim sentences of the evidence."""

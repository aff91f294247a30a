"""The reasoner without a model.

Plans by rules and answers with verbatim sentences of the evidence.
"""

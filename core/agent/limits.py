"""Bounds and words that reasoners and the pipeline share."""

MAX_ASKED = 500
"""Characters of a question back."""
REVIEWS = 2
"""Calls of a model that a whole review takes: the critic's and the judge's."""
OUT_OF_SCOPE = "out_of_scope"
"""The intent of a question that no policy could answer."""
ABOUT_POLICIES = "about_policies"
"""The intent of a question about the policies themselves, which no reasoner is asked."""

"""Keys of the advisory locks, in one place so that none is used for two things."""

PUBLISHING = 7_203_114_027
"""Publication is serialised, so that editions have one order."""
BUILDING_EVALUATION = 7_203_114_028
"""One process builds an evaluated corpus, others wait for it."""
FILLING_SPACES = 7_203_114_029
"""One process fills embedding spaces, so that no text is embedded twice."""
ROTATING = 7_203_114_030
"""Seed of a lock for each workspace: one process exchanges its refresh token, others wait."""
COUNTING_CASES = 7_203_114_031
"""Seed of a lock for each asker: two answers at once do not open one case too many."""

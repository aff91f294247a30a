"""The Teams app put together: one tenant, its endpoint, checks of its set-up."""

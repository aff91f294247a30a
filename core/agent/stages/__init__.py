"""The stages of a run; only `core.agent.pipeline` knows their order."""

"""The Messages API: providers, calls within a budget, replies that are whole."""

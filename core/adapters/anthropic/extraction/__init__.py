"""Sections read by a model."""

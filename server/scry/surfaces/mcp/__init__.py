"""Scry for agents."""

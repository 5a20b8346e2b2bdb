"""Judges the engine from outside."""

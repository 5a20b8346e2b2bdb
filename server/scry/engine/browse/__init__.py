"""Modes that rank files without asking an oracle: orient, recent, neighbors."""

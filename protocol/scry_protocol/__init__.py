"""The wire protocol, defined once: every message, every method, the version. Imports nothing of Scry."""

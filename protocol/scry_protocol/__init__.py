"""The wire, defined once: every message, every method, the version. Imports nothing of ours."""

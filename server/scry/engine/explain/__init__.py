"""Explain the rank of a document (why), and show one result in full (detail)."""

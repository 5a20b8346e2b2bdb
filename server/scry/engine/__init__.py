"""One question, one answer."""

"""Ways in. No ranking, no SQL."""

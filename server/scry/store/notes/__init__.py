"""Knowledge notes, searchable by words and by meaning."""

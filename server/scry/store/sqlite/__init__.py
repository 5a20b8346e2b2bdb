"""Open SQLite files, create and migrate their tables."""

"""Open SQLite files, migrate them, and compress what is stored in them."""

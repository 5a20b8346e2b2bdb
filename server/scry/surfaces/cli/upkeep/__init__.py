"""Commands that keep an installation in order: index, status, doctor, cache, purge, restore and settings."""

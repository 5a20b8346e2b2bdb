"""The only code that reads the world: files, git, and what changed in them."""

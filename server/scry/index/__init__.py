"""The only code that reads files and git, and that finds what changed in them."""

"""Read the git history and the state of the work tree."""

"""Mine the histories of public repositories: commit subjects beside the functions that they changed."""

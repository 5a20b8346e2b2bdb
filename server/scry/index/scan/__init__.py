"""List the files of a project, compare them with the index, and read them."""

"""Parse the text of a file into symbols, chunks and references."""

"""The index of one project, `index.sqlite` with its word index and vectors."""

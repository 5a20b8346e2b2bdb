"""The code index of one project: `index.sqlite` with its lexical index and vectors."""

"""The git history of one project, `history.sqlite` and its lexical index."""

"""Answer relational questions over the code graph (`--reason`)."""

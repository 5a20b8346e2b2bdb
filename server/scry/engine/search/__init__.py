"""The ranking pipeline: query -> retrieve -> fusion -> boosts -> results."""

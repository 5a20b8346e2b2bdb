"""The client side of the indexer: start it, connect to it, follow its state."""

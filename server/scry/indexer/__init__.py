"""The indexer process, the only writer of an index, and its clients."""

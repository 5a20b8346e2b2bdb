"""A project's identity, its places on disk, and the registry of projects."""

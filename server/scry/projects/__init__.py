"""What a project is, where its files on disk are, and the registry of projects."""

"""What makes a release's files; never imported by scry."""

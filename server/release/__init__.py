"""Make the files of a release; never imported by scry."""

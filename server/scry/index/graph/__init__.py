"""The code graph: the definitions that each file's uses of names mean, kept up to date as files change."""

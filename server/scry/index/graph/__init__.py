"""The code graph: what each file's uses of names lead to, kept up to date as files change."""

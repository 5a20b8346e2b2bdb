"""Work while there is nothing else to do: seals, backups, and the replay of past questions after an upgrade."""

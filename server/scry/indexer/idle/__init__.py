"""Work while there is nothing else to do: seals, backups, learning from the log, replays after an upgrade."""

"""The event log, `events.sqlite`."""

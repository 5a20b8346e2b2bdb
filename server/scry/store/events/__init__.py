"""The event log, `events.sqlite`."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.events.log import EVENTS_FILE as EVENTS_FILE
    from scry.store.events.log import EventLog as EventLog
    from scry.store.events.log import EventReader as EventReader
    from scry.store.events.maintenance import compact_log as compact_log
    from scry.store.events.maintenance import forget_events as forget_events
    from scry.store.events.schema import EVENT_MIGRATIONS as EVENT_MIGRATIONS
else:
    _MODULES = {
        "EVENTS_FILE": "log",
        "EVENT_MIGRATIONS": "schema",
        "EventLog": "log",
        "EventReader": "log",
        "compact_log": "maintenance",
        "forget_events": "maintenance",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

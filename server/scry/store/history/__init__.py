"""The git history of one project, `history.sqlite` and its lexical index."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.history.commits import FIRST_COMMIT_KEY as FIRST_COMMIT_KEY
    from scry.store.history.commits import Hunk as Hunk
    from scry.store.history.commits import describe_commit as describe_commit
    from scry.store.history.reader import HistoryReader as HistoryReader
    from scry.store.history.reader import HistoryState as HistoryState
    from scry.store.history.reader import read_history_state as read_history_state
    from scry.store.history.store import HistoryStore as HistoryStore
    from scry.store.history.store import describe_history_damage as describe_history_damage
else:
    _MODULES = {
        "FIRST_COMMIT_KEY": "commits",
        "HistoryReader": "reader",
        "HistoryState": "reader",
        "HistoryStore": "store",
        "Hunk": "commits",
        "describe_commit": "commits",
        "read_history_state": "reader",
        "describe_history_damage": "store",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

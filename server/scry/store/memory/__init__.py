"""The memory of a project: observations, failures and decisions, in `memory.sqlite` of its data folder.

schema      tables and rows                     store       recording
cleaning    secrets masked, texts cut           forgetting  removing for good
sessions    sessions and pieces of work         postings    words and candidates of a query
search      ranking, memories as results        reader      listing
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.memory.forgetting import forget_memories as forget_memories
    from scry.store.memory.postings import find_candidates as find_candidates
    from scry.store.memory.postings import look_up_terms as look_up_terms
    from scry.store.memory.reader import MemoryFilter as MemoryFilter
    from scry.store.memory.reader import MemoryReader as MemoryReader
    from scry.store.memory.schema import MEMORY_FILE as MEMORY_FILE
    from scry.store.memory.schema import MEMORY_MIGRATIONS as MEMORY_MIGRATIONS
    from scry.store.memory.schema import memory_file as memory_file
    from scry.store.memory.sessions import SESSION_IDLE_MS as SESSION_IDLE_MS
    from scry.store.memory.sessions import SessionOwner as SessionOwner
    from scry.store.memory.sessions import begin_session as begin_session
    from scry.store.memory.store import MemoryStore as MemoryStore
else:
    _MODULES = {
        "MEMORY_FILE": "schema",
        "MEMORY_MIGRATIONS": "schema",
        "MemoryFilter": "reader",
        "MemoryReader": "reader",
        "MemoryStore": "store",
        "SESSION_IDLE_MS": "sessions",
        "SessionOwner": "sessions",
        "begin_session": "sessions",
        "find_candidates": "postings",
        "forget_memories": "forgetting",
        "look_up_terms": "postings",
        "memory_file": "schema",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

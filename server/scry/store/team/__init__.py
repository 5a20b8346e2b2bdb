"""The index of a team: many repositories in one PostgreSQL database with pgvector."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.team.database import TeamDatabase as TeamDatabase
    from scry.store.team.postings import Postings as Postings
    from scry.store.team.reader import TeamReader as TeamReader
    from scry.store.team.schema import MIGRATIONS as MIGRATIONS
    from scry.store.team.schema import OWNED_TABLES as OWNED_TABLES
    from scry.store.team.schema import SCHEMA_VERSION as SCHEMA_VERSION
    from scry.store.team.writer import TeamRepository as TeamRepository
    from scry.store.team.writer import TeamWriter as TeamWriter
else:
    _MODULES = {
        "MIGRATIONS": "schema",
        "OWNED_TABLES": "schema",
        "Postings": "postings",
        "SCHEMA_VERSION": "schema",
        "TeamDatabase": "database",
        "TeamReader": "reader",
        "TeamRepository": "writer",
        "TeamWriter": "writer",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""Open SQLite files, create and migrate their tables."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.sqlite.database import FolderCache as FolderCache
    from scry.store.sqlite.database import apply_migrations as apply_migrations
    from scry.store.sqlite.database import create_cache_tables as create_cache_tables
    from scry.store.sqlite.database import open_database as open_database
    from scry.store.sqlite.database import open_shared_database as open_shared_database
    from scry.store.sqlite.database import roll_back as roll_back
    from scry.store.sqlite.database import schema_version as schema_version
else:
    _MODULES = {
        "FolderCache": "database",
        "apply_migrations": "database",
        "create_cache_tables": "database",
        "open_database": "database",
        "open_shared_database": "database",
        "roll_back": "database",
        "schema_version": "database",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

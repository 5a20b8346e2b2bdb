"""A team's index: repositories loaded into it, and questions asked of it, beside what is local."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.team.indexing import index_one_by_one as index_one_by_one
    from scry.team.load import LoadReport as LoadReport
    from scry.team.load import load_repository as load_repository
    from scry.team.sources import read_sources as read_sources
else:
    _MODULES = {
        "LoadReport": "load",
        "index_one_by_one": "indexing",
        "load_repository": "load",
        "read_sources": "sources",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

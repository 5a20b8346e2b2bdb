"""The client side of the indexer: start it, connect to it, follow its state."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.indexer.client.client import IndexerClient as IndexerClient
    from scry.indexer.client.connection import IndexerConnection as IndexerConnection
else:
    _MODULES = {
        "IndexerClient": "client",
        "IndexerConnection": "connection",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

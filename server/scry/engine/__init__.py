"""One question, one answer."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.context import DEFAULT_CONTEXT as DEFAULT_CONTEXT
    from scry.engine.context import CancelledCheck as CancelledCheck
    from scry.engine.context import FindRequest as FindRequest
    from scry.engine.context import NeighborsRequest as NeighborsRequest
    from scry.engine.context import OrientRequest as OrientRequest
    from scry.engine.context import RequestContext as RequestContext
    from scry.engine.engine import Engine as Engine
    from scry.engine.index_view import IndexView as IndexView
    from scry.engine.notices import LogOff as LogOff
    from scry.engine.notices import NoCoChangeHistory as NoCoChangeHistory
    from scry.engine.notices import NothingIndexedInFolder as NothingIndexedInFolder
    from scry.engine.project_index import HistoryAccess as HistoryAccess
    from scry.engine.project_index import ProjectIndex as ProjectIndex
else:
    _MODULES = {
        "CancelledCheck": "context",
        "DEFAULT_CONTEXT": "context",
        "Engine": "engine",
        "FindRequest": "context",
        "HistoryAccess": "project_index",
        "IndexView": "index_view",
        "LogOff": "notices",
        "NeighborsRequest": "context",
        "NoCoChangeHistory": "notices",
        "NothingIndexedInFolder": "notices",
        "OrientRequest": "context",
        "ProjectIndex": "project_index",
        "RequestContext": "context",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""Modes that rank files without asking an oracle: orient, recent, neighbors."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.browse.files import file_document as file_document
    from scry.engine.browse.neighbors import list_neighbors as list_neighbors
    from scry.engine.browse.orient import FileImportance as FileImportance
    from scry.engine.browse.recent_search import MIN_SCORE_SHARES as MIN_SCORE_SHARES
    from scry.engine.browse.recent_search import POOL_SIZE as POOL_SIZE
    from scry.engine.browse.recent_search import ProjectRanking as ProjectRanking
    from scry.engine.browse.recent_search import filter_relevant as filter_relevant
    from scry.engine.browse.recent_search import relevance_threshold as relevance_threshold
    from scry.engine.browse.recent_search import shared_thresholds as shared_thresholds
else:
    _MODULES = {
        "FileImportance": "orient",
        "MIN_SCORE_SHARES": "recent_search",
        "POOL_SIZE": "recent_search",
        "ProjectRanking": "recent_search",
        "file_document": "files",
        "filter_relevant": "recent_search",
        "list_neighbors": "neighbors",
        "relevance_threshold": "recent_search",
        "shared_thresholds": "recent_search",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

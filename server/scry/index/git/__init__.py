"""Read the git history and the state of the work tree."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.index.git.changed_symbols import DocumentLineRange as DocumentLineRange
    from scry.index.git.changed_symbols import map_commits_to_documents as map_commits_to_documents
    from scry.index.git.changed_symbols import update_changed_documents as update_changed_documents
    from scry.index.git.history import update_history as update_history
    from scry.index.git.log import LoggedCommit as LoggedCommit
    from scry.index.git.stream import GitFailed as GitFailed
    from scry.index.git.work_tree import HeadTracker as HeadTracker
    from scry.index.git.work_tree import uncommitted_paths as uncommitted_paths
else:
    _MODULES = {
        "DocumentLineRange": "changed_symbols",
        "GitFailed": "stream",
        "HeadTracker": "work_tree",
        "LoggedCommit": "log",
        "map_commits_to_documents": "changed_symbols",
        "uncommitted_paths": "work_tree",
        "update_changed_documents": "changed_symbols",
        "update_history": "history",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""The code graph: the definitions that each file's uses of names mean, kept up to date as files change."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.index.graph.graph_memory import GraphMemory as GraphMemory
    from scry.index.graph.import_graph import MANIFEST_NAMES as MANIFEST_NAMES
    from scry.index.graph.import_graph import FileImports as FileImports
    from scry.index.graph.import_graph import compute_structures as compute_structures
    from scry.index.graph.import_graph import extract_file_imports as extract_file_imports
    from scry.index.graph.import_graph import resolve_imports as resolve_imports
    from scry.index.graph.structure import StructureUpdater as StructureUpdater
    from scry.index.graph.update import update_graph as update_graph
else:
    _MODULES = {
        "FileImports": "import_graph",
        "GraphMemory": "graph_memory",
        "MANIFEST_NAMES": "import_graph",
        "StructureUpdater": "structure",
        "compute_structures": "import_graph",
        "extract_file_imports": "import_graph",
        "resolve_imports": "import_graph",
        "update_graph": "update",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

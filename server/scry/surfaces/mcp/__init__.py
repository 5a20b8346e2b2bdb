"""Scry for agents, over the Model Context Protocol. Only this package knows its SDK, which takes a second to import.

tools       the tools: descriptions for a model that has never seen Scry, schemas, checks of arguments
results     results as structured output and text; resources: the index's state, and views of the log
server      tools and resources bound to the SDK, over standard input and output or HTTP
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.mcp.tools import TOOLS as TOOLS
else:
    _MODULES = {
        "TOOLS": "tools",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""Scry over HTTP, for programs on this machine: POST /scry, GET /health, GET /openapi.json.

server    the paths, bound to the router
openapi   the description of the interface, built from the protocol's own schema
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.http.openapi import build_openapi_document as build_openapi_document
else:
    _MODULES = {
        "build_openapi_document": "openapi",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""Modules that the servers share: methods (the table), params, schema, projects, limits, tokens, replies, server."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.serving.limits import RequestPool as RequestPool
    from scry.surfaces.serving.methods import PROGRAM_OPERATIONS as PROGRAM_OPERATIONS
    from scry.surfaces.serving.replies import HttpError as HttpError
    from scry.surfaces.serving.schema import protocol_schema as protocol_schema
    from scry.surfaces.serving.schema import rebase_references as rebase_references
    from scry.surfaces.serving.schema import referenced_structs as referenced_structs
    from scry.surfaces.serving.schema import struct_schema as struct_schema
    from scry.surfaces.serving.server import ListenAddress as ListenAddress
    from scry.surfaces.serving.server import open_listening_socket as open_listening_socket
    from scry.surfaces.serving.tokens import load_or_create_token as load_or_create_token
    from scry.surfaces.serving.tokens import matches_token as matches_token
    from scry.surfaces.serving.tokens import reject_foreign_request as reject_foreign_request
    from scry.surfaces.serving.tokens import require_token as require_token
    from scry.surfaces.serving.tokens import token_path as token_path
else:
    _MODULES = {
        "HttpError": "replies",
        "ListenAddress": "server",
        "PROGRAM_OPERATIONS": "methods",
        "RequestPool": "limits",
        "load_or_create_token": "tokens",
        "matches_token": "tokens",
        "open_listening_socket": "server",
        "protocol_schema": "schema",
        "rebase_references": "schema",
        "referenced_structs": "schema",
        "reject_foreign_request": "tokens",
        "require_token": "tokens",
        "struct_schema": "schema",
        "token_path": "tokens",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

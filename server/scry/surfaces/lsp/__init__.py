"""The language server (the sidecar): JSON-RPC frames on standard input and output.

startup -> process -> framing -> protocol -> server -> session -> engine.federation.router, and back through locations
and protocol to framing. Only this package knows pygls. Importing it costs a third of a second, so nothing outside
imports it but `scry lsp`.
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.lsp.conversion import EDITOR_COMMANDS as EDITOR_COMMANDS
    from scry.surfaces.lsp.conversion import editor_commands as editor_commands
    from scry.surfaces.lsp.conversion import empty_index_state as empty_index_state
    from scry.surfaces.lsp.documents import EditMapping as EditMapping
    from scry.surfaces.lsp.documents import OpenDocuments as OpenDocuments
    from scry.surfaces.lsp.documents import apply_change as apply_change
    from scry.surfaces.lsp.documents import split_lines as split_lines
    from scry.surfaces.lsp.framing import INVALID_REQUEST as INVALID_REQUEST
    from scry.surfaces.lsp.framing import PARSE_ERROR as PARSE_ERROR
    from scry.surfaces.lsp.framing import FrameReader as FrameReader
    from scry.surfaces.lsp.framing import JsonRpcMessage as JsonRpcMessage
    from scry.surfaces.lsp.framing import MalformedMessage as MalformedMessage
    from scry.surfaces.lsp.locations import map_result_to_editor as map_result_to_editor
    from scry.surfaces.lsp.locations import unsaved_in_folder as unsaved_in_folder
    from scry.surfaces.lsp.process import GC_THRESHOLD as GC_THRESHOLD
    from scry.surfaces.lsp.server import ScryServer as ScryServer
    from scry.surfaces.lsp.session import PickerRequests as PickerRequests
    from scry.surfaces.lsp.session import run_in_thread as run_in_thread
    from scry.surfaces.lsp.standard_features import MAX_ANSWERS as MAX_ANSWERS
    from scry.surfaces.lsp.standard_features import SYMBOL_KINDS as SYMBOL_KINDS
    from scry.surfaces.lsp.standard_features import ShownLocations as ShownLocations
    from scry.surfaces.lsp.standard_features import to_symbol_information as to_symbol_information
    from scry.surfaces.lsp.uris import NotAFileUri as NotAFileUri
    from scry.surfaces.lsp.uris import path_to_uri as path_to_uri
    from scry.surfaces.lsp.uris import uri_to_path as uri_to_path
    from scry.surfaces.lsp.workspace import WorkspaceFolder as WorkspaceFolder
else:
    _MODULES = {
        "EDITOR_COMMANDS": "conversion",
        "EditMapping": "documents",
        "FrameReader": "framing",
        "GC_THRESHOLD": "process",
        "INVALID_REQUEST": "framing",
        "JsonRpcMessage": "framing",
        "MAX_ANSWERS": "standard_features",
        "MalformedMessage": "framing",
        "NotAFileUri": "uris",
        "OpenDocuments": "documents",
        "PARSE_ERROR": "framing",
        "PickerRequests": "session",
        "SYMBOL_KINDS": "standard_features",
        "ScryServer": "server",
        "ShownLocations": "standard_features",
        "WorkspaceFolder": "workspace",
        "apply_change": "documents",
        "editor_commands": "conversion",
        "empty_index_state": "conversion",
        "map_result_to_editor": "locations",
        "path_to_uri": "uris",
        "run_in_thread": "session",
        "split_lines": "documents",
        "to_symbol_information": "standard_features",
        "unsaved_in_folder": "locations",
        "uri_to_path": "uris",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

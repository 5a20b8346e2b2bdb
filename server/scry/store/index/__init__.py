"""The code index of one project: `index.sqlite` with its lexical index and vectors."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.index.database import INDEX_SCHEMA as INDEX_SCHEMA
    from scry.store.index.files import FileColumns as FileColumns
    from scry.store.index.files import FileTable as FileTable
    from scry.store.index.files import IndexedFileInfo as IndexedFileInfo
    from scry.store.index.rows import NewDocument as NewDocument
    from scry.store.index.rows import NewFile as NewFile
    from scry.store.index.rows import compress_frame as compress_frame
    from scry.store.index.rows import decode_kind as decode_kind
    from scry.store.index.rows import encode_kind as encode_kind
    from scry.store.index.rows import hash_name_key as hash_name_key
    from scry.store.index.rows import hash_range_of_prefix as hash_range_of_prefix
    from scry.store.index.rows import pack_links as pack_links
    from scry.store.index.rows import pack_spans as pack_spans
    from scry.store.index.rows import pack_text as pack_text
    from scry.store.index.rows import read_documents as read_documents
    from scry.store.index.rows import read_headers as read_headers
    from scry.store.index.rows import unpack_descriptions as unpack_descriptions
    from scry.store.index.rows import unpack_imports as unpack_imports
    from scry.store.index.rows import unpack_line_range as unpack_line_range
    from scry.store.index.rows import unpack_spans as unpack_spans
    from scry.store.index.rows import unpack_text as unpack_text
    from scry.store.index.rows import unpack_uses as unpack_uses
    from scry.store.index.store import IndexStore as IndexStore
    from scry.store.index.store import describe_damage as describe_damage
else:
    _MODULES = {
        "FileColumns": "files",
        "FileTable": "files",
        "INDEX_SCHEMA": "database",
        "IndexStore": "store",
        "IndexedFileInfo": "files",
        "NewDocument": "rows",
        "NewFile": "rows",
        "compress_frame": "rows",
        "decode_kind": "rows",
        "describe_damage": "store",
        "encode_kind": "rows",
        "hash_name_key": "rows",
        "hash_range_of_prefix": "rows",
        "pack_links": "rows",
        "pack_spans": "rows",
        "pack_text": "rows",
        "read_documents": "rows",
        "read_headers": "rows",
        "unpack_descriptions": "rows",
        "unpack_imports": "rows",
        "unpack_line_range": "rows",
        "unpack_spans": "rows",
        "unpack_text": "rows",
        "unpack_uses": "rows",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

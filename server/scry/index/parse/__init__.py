"""Parse the text of a file into symbols, chunks and references."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.index.parse.chunks import LineIndex as LineIndex
    from scry.index.parse.doc_comments import doc_text as doc_text
else:
    _MODULES = {
        "LineIndex": "chunks",
        "doc_text": "doc_comments",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

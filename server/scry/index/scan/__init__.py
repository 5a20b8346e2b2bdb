"""List the files of a project, compare them with the index, and read them."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.index.scan.gitignore import byte_text as byte_text
    from scry.index.scan.gitignore import compile_glob as compile_glob
    from scry.index.scan.read_file import FileContent as FileContent
    from scry.index.scan.read_file import decode_text as decode_text
    from scry.index.scan.walk import FOLDER_SIZE as FOLDER_SIZE
    from scry.index.scan.walk import FileEntry as FileEntry
    from scry.index.scan.walk import explain_ignored as explain_ignored
else:
    _MODULES = {
        "FOLDER_SIZE": "walk",
        "FileContent": "read_file",
        "FileEntry": "walk",
        "byte_text": "gitignore",
        "compile_glob": "gitignore",
        "decode_text": "read_file",
        "explain_ignored": "walk",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

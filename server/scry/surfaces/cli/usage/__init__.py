"""Commands that read the log of events: `scry log` shows and keeps it, `scry lab` measures answers with it."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.cli.usage.lab import open_subject as open_subject
else:
    _MODULES = {
        "open_subject": "lab",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

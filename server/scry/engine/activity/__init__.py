"""Keep every answer that was given, and log questions and uses."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.activity.recorder import TYPING_SETTLE_S as TYPING_SETTLE_S
    from scry.engine.activity.recorder import Recorder as Recorder
else:
    _MODULES = {
        "Recorder": "recorder",
        "TYPING_SETTLE_S": "recorder",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

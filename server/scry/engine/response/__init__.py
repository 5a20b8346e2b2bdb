"""Convert domain values into wire messages, and render notices."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.response.answer import describe_evidence as describe_evidence
    from scry.engine.response.notices import add_notice as add_notice
    from scry.engine.response.notices import describe_emptiness as describe_emptiness
    from scry.engine.response.notices import describe_incomplete as describe_incomplete
else:
    _MODULES = {
        "add_notice": "notices",
        "describe_emptiness": "notices",
        "describe_evidence": "answer",
        "describe_incomplete": "notices",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

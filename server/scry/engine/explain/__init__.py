"""Explain the rank of a document (why), and show one result in full (detail)."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.explain.counterfactual import Competitors as Competitors
    from scry.engine.explain.counterfactual import ablate_each_factor as ablate_each_factor
    from scry.engine.explain.detail import MAX_BODY_CHARACTERS as MAX_BODY_CHARACTERS
    from scry.engine.explain.detail import MAX_BODY_CHARACTERS_IN_LIST as MAX_BODY_CHARACTERS_IN_LIST
    from scry.engine.explain.detail import DocumentRelations as DocumentRelations
    from scry.engine.explain.detail import read_relations as read_relations
else:
    _MODULES = {
        "Competitors": "counterfactual",
        "DocumentRelations": "detail",
        "MAX_BODY_CHARACTERS": "detail",
        "MAX_BODY_CHARACTERS_IN_LIST": "detail",
        "ablate_each_factor": "counterfactual",
        "read_relations": "detail",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

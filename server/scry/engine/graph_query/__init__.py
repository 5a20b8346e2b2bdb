"""Answer relational questions over the code graph (`--reason`)."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.graph_query.evaluate import answer_relation_query as answer_relation_query
    from scry.engine.graph_query.parse import AllOf as AllOf
    from scry.engine.graph_query.parse import AnyOf as AnyOf
    from scry.engine.graph_query.parse import RelationClause as RelationClause
    from scry.engine.graph_query.parse import RelationKind as RelationKind
    from scry.engine.graph_query.parse import RelationQuery as RelationQuery
    from scry.engine.graph_query.parse import parse_relation_query as parse_relation_query
else:
    _MODULES = {
        "AllOf": "parse",
        "AnyOf": "parse",
        "RelationClause": "parse",
        "RelationKind": "parse",
        "RelationQuery": "parse",
        "answer_relation_query": "evaluate",
        "parse_relation_query": "parse",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

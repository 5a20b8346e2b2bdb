"""Parsing of relation queries."""

from __future__ import annotations

import pytest

from scry.core import BadRequest
from scry.engine.graph_query import AllOf, AnyOf, RelationClause, RelationKind, RelationQuery, parse_relation_query

CALLS_FOO = RelationClause(RelationKind.CALLS, "foo", is_source=True)
BY_BAR = RelationClause(RelationKind.CALLS, "bar", is_source=False)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("what calls foo", CALLS_FOO),
        ("Who calls foo()?", CALLS_FOO),
        ("callers of foo", CALLS_FOO),
        ("the callers of `foo`", CALLS_FOO),
        ("what does bar call?", BY_BAR),
        ("what bar calls", BY_BAR),
        ("callees of bar", BY_BAR),
        ("what is called by bar", BY_BAR),
        ("what imports a.py", RelationClause(RelationKind.IMPORTS, "a.py", is_source=True)),
        ("imported by src/a.py", RelationClause(RelationKind.IMPORTS, "src/a.py", is_source=False)),
        ("subclasses of Base", RelationClause(RelationKind.INHERITS, "Base", is_source=True)),
        ("what inherits from Base", RelationClause(RelationKind.INHERITS, "Base", is_source=True)),
        ("what inherits Base", RelationClause(RelationKind.INHERITS, "Base", is_source=True)),
        ("what Leaf inherits", RelationClause(RelationKind.INHERITS, "Leaf", is_source=False)),
        ("what does Leaf inherit from", RelationClause(RelationKind.INHERITS, "Leaf", is_source=False)),
        ("what defines x", RelationClause(RelationKind.DEFINES, "x", is_source=True)),
        ("what does a.py define", RelationClause(RelationKind.DEFINES, "a.py", is_source=False)),
        ("what changes together with a.py", RelationClause(RelationKind.CHANGES_WITH, "a.py", is_source=True)),
        ("what uses foo", RelationClause(RelationKind.USES, "foo", is_source=True)),
        ("Where is foo used?", RelationClause(RelationKind.USES, "foo", is_source=True)),
        ("where foo is used", RelationClause(RelationKind.USES, "foo", is_source=True)),
        ("usages of foo", RelationClause(RelationKind.USES, "foo", is_source=True)),
        ("what does bar use", RelationClause(RelationKind.USES, "bar", is_source=False)),
        ("used by bar", RelationClause(RelationKind.USES, "bar", is_source=False)),
        ("where is foo called", CALLS_FOO),
        ("what transitively calls foo", RelationClause(RelationKind.CALLS, "foo", is_source=True, transitive=True)),
        ("what calls foo indirectly", RelationClause(RelationKind.CALLS, "foo", is_source=True, transitive=True)),
        (
            "what is transitively called by bar",
            RelationClause(RelationKind.CALLS, "bar", is_source=False, transitive=True),
        ),
        ('what calls "and"', RelationClause(RelationKind.CALLS, "and", is_source=True)),
    ],
)
def test_clause_is_parsed(text: str, clause: RelationClause) -> None:
    assert parse_relation_query(text) == clause


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("what calls foo and is called by bar", AllOf((CALLS_FOO, BY_BAR), ())),
        ("what calls foo but not what bar calls", AllOf((CALLS_FOO,), (BY_BAR,))),
        ("what calls foo and isn't called by bar", AllOf((CALLS_FOO,), (BY_BAR,))),
        ("what calls foo or is called by bar", AnyOf((CALLS_FOO, BY_BAR))),
        (
            "callers of foo but not baz",
            AllOf((CALLS_FOO,), (RelationClause(RelationKind.CALLS, "baz", is_source=True),)),
        ),
        ("what does not call foo and is called by bar", AllOf((BY_BAR,), (CALLS_FOO,))),
        ("calls foo and calls foo or called by bar", AnyOf((AllOf((CALLS_FOO, CALLS_FOO), ()), BY_BAR))),
        ("called by bar and (calls foo or called by bar)", AllOf((BY_BAR, AnyOf((CALLS_FOO, BY_BAR))), ())),
        ("called by bar and not (calls foo)", AllOf((BY_BAR,), (CALLS_FOO,))),
    ],
)
def test_clauses_are_joined(text: str, tree: RelationQuery) -> None:
    assert parse_relation_query(text) == tree


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("where is the retry limit", 'from "retry" on'),
        ("where is retry", 'from "retry" on'),
        ("what calls", "ends too early"),
        ("what calls foo and", "ends too early"),
        ("(what calls foo", "ends too early"),
        ("what calls foo)", 'from ")" on'),
        ("what changes foo", 'from "foo" on'),
        ("", "is empty"),
        ("(" * 500 + "calls x" + ")" * 500, "parentheses"),
        ("not calls foo", "only what is not wanted"),
        ("not (not calls foo)", "only what is not wanted"),
        ("what calls " + "x" * 5000, "too many"),
        ("what changes with a.py transitively", "transitively"),
    ],
)
def test_relation_syntax_error_gives_a_reason(text: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        parse_relation_query(text)
    assert refused.value.field == "query"
    assert words in str(refused.value)


def test_relation_syntax_error_lists_supported_forms() -> None:
    with pytest.raises(BadRequest, match=r"what is called by X.*what calls foo and is called by bar"):
        parse_relation_query("the retry limit")

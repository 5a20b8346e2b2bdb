"""How relational questions are read."""

from __future__ import annotations

import pytest

from scry.core.errors import BadRequest
from scry.engine.relation import Both, Clause, Either, Kind, Tree, read_question

CALLS_FOO = Clause(Kind.CALLS, "foo", is_source=True)
BY_BAR = Clause(Kind.CALLS, "bar", is_source=False)


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
        ("what imports a.py", Clause(Kind.IMPORTS, "a.py", is_source=True)),
        ("imported by src/a.py", Clause(Kind.IMPORTS, "src/a.py", is_source=False)),
        ("subclasses of Base", Clause(Kind.INHERITS, "Base", is_source=True)),
        ("what inherits from Base", Clause(Kind.INHERITS, "Base", is_source=True)),
        ("what inherits Base", Clause(Kind.INHERITS, "Base", is_source=True)),
        ("what Leaf inherits", Clause(Kind.INHERITS, "Leaf", is_source=False)),
        ("what does Leaf inherit from", Clause(Kind.INHERITS, "Leaf", is_source=False)),
        ("what defines x", Clause(Kind.DEFINES, "x", is_source=True)),
        ("what does a.py define", Clause(Kind.DEFINES, "a.py", is_source=False)),
        ("what changes together with a.py", Clause(Kind.CHANGES_WITH, "a.py", is_source=True)),
        ("what transitively calls foo", Clause(Kind.CALLS, "foo", is_source=True, transitive=True)),
        ("what calls foo indirectly", Clause(Kind.CALLS, "foo", is_source=True, transitive=True)),
        ("what is transitively called by bar", Clause(Kind.CALLS, "bar", is_source=False, transitive=True)),
        ('what calls "and"', Clause(Kind.CALLS, "and", is_source=True)),
    ],
)
def test_a_clause(text: str, clause: Clause) -> None:
    assert read_question(text) == clause


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("what calls foo and is called by bar", Both((CALLS_FOO, BY_BAR), ())),
        ("what calls foo but not what bar calls", Both((CALLS_FOO,), (BY_BAR,))),
        ("what calls foo and isn't called by bar", Both((CALLS_FOO,), (BY_BAR,))),
        ("what calls foo or is called by bar", Either((CALLS_FOO, BY_BAR))),
        ("callers of foo but not baz", Both((CALLS_FOO,), (Clause(Kind.CALLS, "baz", is_source=True),))),
        ("what does not call foo and is called by bar", Both((BY_BAR,), (CALLS_FOO,))),
        ("calls foo and calls foo or called by bar", Either((Both((CALLS_FOO, CALLS_FOO), ()), BY_BAR))),
        ("called by bar and (calls foo or called by bar)", Both((BY_BAR, Either((CALLS_FOO, BY_BAR))), ())),
        ("called by bar and not (calls foo)", Both((BY_BAR,), (CALLS_FOO,))),
    ],
)
def test_clauses_are_joined(text: str, tree: Tree) -> None:
    assert read_question(text) == tree


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("where is the retry limit", 'from "where" on'),
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
def test_what_cannot_be_read_says_why(text: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read_question(text)
    assert refused.value.field == "query"
    assert words in str(refused.value)


def test_a_refusal_lists_what_can_be_asked() -> None:
    with pytest.raises(BadRequest, match=r"what is called by X.*what calls foo and is called by bar"):
        read_question("the retry limit")

"""Parsing of queries."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from scry.core import QueryFilter, QueryIntent, SearchQuery
from scry.engine.search import INTENT_WEIGHT_FACTORS, detect_intent, parse_query
from scry.engine.search.pipeline import FilterCache
from scry.store.index import IndexStore
from tests.sample.indexed import IndexedProject

_WEIGHTS = {"semantic": 1.0, "lexical": 1.0, "temporal": 0.5}


def _plan(text: str) -> SearchQuery:
    return parse_query(text, _WEIGHTS, limit=10)


@pytest.mark.acceptance("F8")
def test_filters_are_removed_from_the_query_terms() -> None:
    question = _plan('retry lang:go -path:vendor/ type:code path:"my docs/"')
    assert question.words == "retry"
    assert question.filters == (
        QueryFilter("lang", "go"),
        QueryFilter("path", "vendor/", exclude=True),
        QueryFilter("type", "code"),
        QueryFilter("path", "my docs/"),
    )


@pytest.mark.acceptance("F8")
def test_quoted_text_must_match_exactly() -> None:
    question = _plan('where is "retry later" raised')
    assert (question.words, question.phrases) == ("where is raised", ("retry later",))


def test_quotes_in_a_line_of_a_traceback_are_no_quoted_text() -> None:
    line = 'File "/lib/app/client.py", line 971, in send_again'
    assert _plan(line).phrases == ()
    assert _plan(f'{line} "retry later"').phrases == ("retry later",)
    assert "send_again" in _plan(line).words.split()


@pytest.mark.acceptance("F8a")
@pytest.mark.parametrize(
    "text",
    [
        "multi-agent",
        "don't",
        "20.04",
        "AND",
        '"',
        "*",
        "\x00",
        "🙂",
        "検索",
        'a"b',
        '""',
        "lang:",
        "type:banana",
        "a:b",
        "NOT (x OR",
    ],
)
def test_odd_input_is_literal(text: str) -> None:
    question = _plan(text)
    assert (question.filters, question.phrases) == ((), ())
    assert question.words == " ".join(text.split())


@pytest.mark.acceptance("F7")
@pytest.mark.parametrize(
    ("words", "intent"),
    [
        ("parse_header", QueryIntent.DEFINITION),
        ("RetryPolicy", QueryIntent.DEFINITION),
        ("where is fusion implemented", QueryIntent.DEFINITION),
        ("how are requests retried", QueryIntent.MECHANISM),
        ("why is the cache bounded", QueryIntent.RATIONALE),
        ("what changed lately in the parser", QueryIntent.TEMPORAL),
        ("which commit added pooling", QueryIntent.TEMPORAL),
        ("when was the cache bounded", QueryIntent.TEMPORAL),
        ("why was pooling merged", QueryIntent.RATIONALE),
        ("connection pooling and transport", QueryIntent.GENERAL),
    ],
)
def test_intent_is_detected_from_the_words(words: str, intent: QueryIntent) -> None:
    assert detect_intent(words) == intent


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("which commit added pooling", True),
        ("the commit that bounds the cache", True),
        ("when was pooling added", True),
        ("who renamed the retry policy?", True),
        ("why was pooling reverted", True),
        ("when does the cache expire", False),
        ("how is a commit made", False),
        ("why is pooling merged with transport", False),
        ("who calls the merge", False),
    ],
)
def test_question_for_a_commit_is_known_by_its_words(words: str, asks: bool) -> None:
    assert parse_query(words, _WEIGHTS, limit=10).asks_for_commits == asks


@pytest.mark.acceptance("F5")
@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("net: accept connections", ("net",)),
        ("unix,win: look up the size", ("unix", "win")),
        ("fix(parser)!: take empty input", ("parser",)),
        ("[json] take empty input", ("json",)),
        ("`cleanup`: say that it is safe", ("cleanup",)),
        ("lang:rust time: track callers", ("time",)),
        ("fix: take empty input", ()),
        ("error: no such file", ()),
        ("std::vector push", ()),
        ("http://example.invalid is not read", ()),
        ("how are the many parts of it: all of them", ()),
        ("where is the net read", ()),
    ],
)
def test_area_is_the_words_before_a_colon_that_a_query_begins_with(text: str, area: tuple[str, ...]) -> None:
    assert parse_query(text, _WEIGHTS, limit=10).area == area


@pytest.mark.acceptance("F5")
@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("look up UV_THREADPOOL_SIZE with uv_os_getenv", ("uvthreadpoolsize", "uvosgetenv")),
        ("who calls HTTPServer.run", ("httpserver",)),
        ("parse utf8 text", ("utf8",)),
        ("spawnBlocking", ()),
        ("JSON and Python", ()),
    ],
)
def test_identifiers_of_a_query_are_those_of_several_words(text: str, identifiers: tuple[str, ...]) -> None:
    assert parse_query(text, _WEIGHTS, limit=10).identifiers == identifiers


@pytest.mark.acceptance("F5")
def test_word_that_is_being_typed_is_no_identifier() -> None:
    parsed = parse_query("look up uv_os_getenv", _WEIGHTS, limit=10, prefix="uv_os_getenv")
    assert parsed.identifiers == ()


@pytest.mark.acceptance("F7")
def test_intent_only_raises_weights_and_may_be_set() -> None:
    assert all(factor >= 1 for factors in INTENT_WEIGHT_FACTORS.values() for factor in factors.values())
    for intent in QueryIntent:
        question = parse_query("anything", _WEIGHTS, limit=10, intent=intent)
        assert question.intent == intent
        assert question.weights.keys() == _WEIGHTS.keys()
        assert all(question.weights[name] >= weight for name, weight in _WEIGHTS.items())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What should I know about the retrieval module?", "about the retrieval ?"),
        ("what should we know about retrieval", "about retrieval"),
        ("Tell me about the http client package", "about the http client"),
        ("which class parses queries", "which parses queries"),
        ("how does the retry module work", "how does the retry work"),
        ("where is the config file read", "where is the config file read"),
        ("module resolution", "module resolution"),
        ("what should I know about the module?", "what should I know about the module?"),
        ("which code", "which code"),
        ("module", "module"),
        ("?", "?"),
    ],
)
def test_words_for_a_kind_of_code_are_no_subject_where_the_question_has_another(text: str, words: str) -> None:
    assert parse_query(text, _WEIGHTS, limit=10).words == words


def test_what_filters_leave_is_kept_until_files_change(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path)
    for name in ("a.py", "b.py", "c.js"):
        sample.write_file(name, "def one(): pass\n" if name.endswith("py") else "function one() {}\n")
    sample.update_index()
    filters, inner = FilterCache(), {"b.py": "other"}
    with closing(IndexStore.open(sample.project.cache, write=False)) as store:
        _, python = filters.apply(_plan("one lang:python"), store)
        _, again = filters.apply(_plan("one two lang:python"), store)
        assert python is not None
        assert again is python
        assert filters.apply(_plan("one"), store)[1] is None
        _, others = filters.apply(_plan("one lang:javascript"), store)
        _, outer = filters.apply(_plan("one lang:python"), store, inner)
        assert others is not None
        assert outer is not None
        assert [len(each.ids) for each in (python, others, outer)] == [2, 1, 1]
        assert filters.apply(_plan("one lang:python"), store, inner)[1] is outer
        assert filters.apply(_plan("one lang:python"), store, dict(inner))[1] is not outer
        sample.write_file("d.py", "def one(): pass\n")
        sample.update_index()
        store.refresh()
        _, newer = filters.apply(_plan("one lang:python"), store)
        assert newer is not None
        assert len(newer.ids) == 3
        assert int(newer.mask.sum()) == len(store.lexical.search(["one"], 10, newer)) >= 3

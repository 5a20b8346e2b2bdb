"""Whatever is asked of why and detail: an answer or a clear error, and nothing outside the project is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scry.core.errors import BadRequest
from scry.engine.engine import Engine
from scry.surfaces.text.detail import show_detail
from scry.surfaces.text.explanation import show_explanation, with_text
from scry_protocol.messages import DetailParams, FindParams, WhyParams
from tests.acceptance.workplace import Workplace

PARTS = st.sampled_from(
    (
        *("./", "../", "/", "shop", "fusion.py", "::", "fuse", "#L1-L4", ":3", "~2", "commit:", "a1", "%00", "%", "#"),
        *(
            "file://",
            "etc/passwd",
            "\0",
            "\ud800",
            " > ",
            "shop:",
            "README.md",
            "Returns",
            "..",
            "C:\\",
            "belief:",
            "*",
        ),
    )
)
DOC_IDS = st.lists(PARTS, min_size=1, max_size=6).map("".join) | st.text(min_size=1, max_size=40)
QUERIES = st.none() | st.text(min_size=1, max_size=40) | st.sampled_from(["fuse", '"', "lang:go x", "type:commit open"])


@pytest.fixture(scope="module")
def engine(shop: Workplace) -> Iterator[Engine]:
    with closing(shop.engine()) as engine:
        yield engine


@pytest.mark.acceptance("W2")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(doc_id=DOC_IDS, query=QUERIES, rank=st.integers(-2, 30))
def test_any_name_and_any_question_get_an_answer_or_a_clear_error(
    engine: Engine, doc_id: str, query: str | None, rank: int
) -> None:
    try:
        explanation = with_text(engine.why(WhyParams(doc_id, query)))
    except BadRequest:
        assert not doc_id.strip() or (query is not None and not query.strip())
        return
    assert 0 < len(explanation.summary) < 100
    assert "root:x:" not in explanation.text
    assert "\0" not in explanation.text
    assert show_explanation(explanation, 60)
    answer = engine.find(FindParams("fuse"))
    try:
        assert show_detail(engine.detail(DetailParams(answer.query_id, rank)), 60)
    except BadRequest:
        assert not 1 <= rank <= len(answer.results)

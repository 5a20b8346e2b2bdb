from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scry.embedding import Passage, StaticModel, attribute_cosine

RETRY = Passage(
    name="retry_upload",
    path="src/net/upload.py",
    container="Uploader",
    text="def retry_upload(self, limit):\n    for attempt in range(limit):\n        self.send(2**attempt)\n",
)
QUERY = "attempt to send the file again"


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.mark.acceptance("W3")
def test_shares_and_remainder_are_the_cosine(model: StaticModel) -> None:
    split = attribute_cosine(model, QUERY, RETRY)
    raw = float(model.encode_passages([RETRY])[0] @ model.encode_query(QUERY))
    assert sum(share.value for share in split.contributions) + split.remainder == pytest.approx(split.cosine, abs=1e-6)
    assert split.cosine == pytest.approx(raw, abs=2e-3)
    assert split.remainder != 0


@pytest.mark.acceptance("W3")
def test_all_shares_sum_to_the_cosine_and_some_are_negative(model: StaticModel) -> None:
    split = attribute_cosine(model, QUERY, RETRY, limit=10_000)
    assert sum(share.value for share in split.contributions) == pytest.approx(split.cosine, abs=1e-6)
    assert split.remainder == pytest.approx(0, abs=1e-9)
    assert min(share.value for share in split.contributions) < 0
    assert {share.field for share in split.contributions} == {"text", "name", "path", "container", "head"}


def test_equal_words_have_the_largest_shares(model: StaticModel) -> None:
    words = {(share.query_word, share.passage_word) for share in attribute_cosine(model, QUERY, RETRY).contributions}
    assert {("attempt", "attempt"), ("send", "send")} <= words


def test_shares_are_in_order_of_size(model: StaticModel) -> None:
    sizes = [abs(share.value) for share in attribute_cosine(model, QUERY, RETRY).contributions]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(("query", "passage"), [("", RETRY), (QUERY, Passage("", "", "", ""))])
def test_empty_text_has_no_shares(model: StaticModel, query: str, passage: Passage) -> None:
    split = attribute_cosine(model, query, passage)
    assert (split.contributions, split.remainder, split.cosine) == ((), 0.0, 0.0)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=120))
def test_shares_sum_to_the_encoded_cosine_for_any_text(query: str, name: str, text: str) -> None:
    model = StaticModel.load()
    passage = Passage(name, f"src/{name}.py", "Outer", text)
    split = attribute_cosine(model, query, passage)
    raw = float(model.encode_passages([passage])[0] @ model.encode_query(query))
    assert split.cosine == pytest.approx(raw, abs=1e-5)
    assert sum(share.value for share in split.contributions) + split.remainder == pytest.approx(split.cosine, abs=1e-6)

from __future__ import annotations

import msgspec
import pytest

from scry.surfaces.render import estimate_tokens, render_answer_within, truncate_to_budget
from scry_protocol.messages import Full
from tests.unit.surfaces.render.sample_answers import FUSE, answer, result

MANY = [result(rank=rank, doc_id=f"./engine/f{rank}.py::f", snippet="x" * 100) for rank in range(1, 21)]


def in_full(rank: int, body: str) -> object:
    return msgspec.structs.replace(MANY[rank - 1], full=Full("python", "def f()", "", body))


def test_everything_is_rendered_within_a_large_budget() -> None:
    text = render_answer_within(answer(FUSE), 2000)
    assert "./engine/fuse.py::fuse" in text
    assert "Left out" not in text


@pytest.mark.acceptance("J7")
@pytest.mark.parametrize("budget", [200, 300, 500, 1000])
def test_budget_keeps_the_best_and_names_the_rest(budget: int) -> None:
    text = render_answer_within(answer(*MANY), budget)
    assert estimate_tokens(text) <= budget
    shown = [rank for rank in range(1, 21) if f"./engine/f{rank}.py::f " in text]
    assert shown == list(range(1, len(shown) + 1))
    assert f"Left out for budget_tokens {budget}: results {len(shown) + 1} to 20. " in text


def test_snippets_of_all_come_before_the_text_of_any() -> None:
    bodies = [in_full(1, "a = 1\n" * 300), in_full(2, "b = 2\n"), in_full(3, "c = 3\n")]
    text = render_answer_within(answer(*bodies), 500)  # pyright: ignore[reportArgumentType]
    assert estimate_tokens(text) <= 500
    snippets, _, listings = text.partition("## In full")
    assert all(f"f{rank}.py::f" in snippets for rank in (1, 2, 3))
    assert "a = 1" not in listings
    assert "```python\nb = 2" in listings
    assert "Left out for budget_tokens 500: the text of 1." in text


def test_left_out_ranks_are_named_exactly() -> None:
    """A short text between two long ones is shown, and not among those that are said to be left out."""
    bodies = [in_full(rank, "a = 1\n" * (300 if rank in (1, 3, 4) else 1)) for rank in (1, 2, 3, 4)]
    text = render_answer_within(answer(*bodies), 600)  # pyright: ignore[reportArgumentType]
    assert "### 2. " in text
    assert "Left out for budget_tokens 600: the text of 1, 3 to 4." in text


def test_a_long_query_does_not_use_up_the_budget() -> None:
    long = msgspec.structs.replace(answer(FUSE), query="word " * 10_000)
    assert "./engine/fuse.py::fuse" in render_answer_within(long, 400)


def test_text_is_cut_between_lines_and_its_listing_closed() -> None:
    page = "# Page\n\n````python\n" + "value = 1\n" * 500 + "````\n"
    text = truncate_to_budget(page, 300)
    assert estimate_tokens(text) <= 300
    assert text.count("````") == 2
    assert "more lines left out for budget_tokens 300" in text
    assert truncate_to_budget("short\n", 300) == "short\n"


def test_token_estimate_is_conservative() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("four") == 2
    assert estimate_tokens("検索") == 2

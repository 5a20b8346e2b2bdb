from __future__ import annotations

import pytest

from scry.engine.response import describe_emptiness, describe_incomplete
from scry.surfaces.render import render_answer, render_index_state, to_plain_text
from scry_protocol.messages import IndexState
from tests.unit.surfaces.render.sample_answers import READY, answer, state


@pytest.mark.acceptance("F11")
@pytest.mark.parametrize(
    ("index", "words"),
    [
        (state(state="starting", files_indexed=0, files_total=0), "still to be made"),
        (state(state="indexing", files_indexed=120), "indexing 120 of 800 files: results are partial"),
        (state(state="indexing", vectors=5, vectors_total=90), "indexing 5 of 90 vectors: results may be partial"),
        (state(state="paused", files_indexed=120), "indexing is paused at 120 of 800 files (scry index --resume)"),
        (
            state(state="failed", message="The disk is full."),
            "indexing failed: results may be partial or old; The disk",
        ),
        (state(history="pending"), "history is still being read"),
        (state(unsaved=["a.py", "b.py", "c.py", "d.py"]), "after the save (a.py, b.py, c.py, …)"),
    ],
)
def test_incomplete_index_is_described(index: IndexState, words: str) -> None:
    assert words in describe_incomplete(index)


@pytest.mark.acceptance("F11")
def test_complete_index_has_no_notice() -> None:
    assert describe_incomplete(READY) == ""


@pytest.mark.acceptance("F11")
@pytest.mark.parametrize(
    ("index", "words"),
    [
        (READY, "Nothing found in 800 files (3 left out"),
        (state(files_indexed=1, files_total=1, skipped=0), "Nothing found in 1 file. Try other words"),
        (state(files_indexed=0, files_total=0, skipped=2), "nothing to search: this folder holds no file"),
        (state(state="starting", files_indexed=0, files_total=0), "Nothing could be searched yet"),
        (state(state="indexing", files_indexed=120), "Nothing found so far: indexing 120 of 800 files"),
        (state(state="paused", files_indexed=120), "Nothing found so far: indexing is paused"),
    ],
)
def test_empty_answer_gives_a_reason(index: IndexState, words: str) -> None:
    given = answer(index=index)
    assert words in describe_emptiness(given)
    assert words in to_plain_text(render_answer(given))


def test_full_index_state_is_rendered() -> None:
    behind = state(head_commit="b" * 40, model="bundled", vectors=5, vectors_total=90, unsaved=["x.py"], message="Hm.")
    assert to_plain_text(render_index_state(behind, "/w")).splitlines() == [
        "/w",
        "  state    ready",
        "  files    800 of 800 indexed, 3 left out",
        "  vectors  5 of 90, made by bundled",
        "  history  ready",
        "  commit   aaaaaaa, while HEAD is bbbbbbb",
        "  unsaved  x.py",
        "  Hm.",
    ]


def test_incomplete_history_is_shown_with_the_state_only() -> None:
    index = state(history_extent="of the newest 20,000 commits")
    assert "  history  ready, of the newest 20,000 commits\n" in to_plain_text(render_index_state(index, "/w"))
    assert describe_incomplete(index) == ""


def test_index_state_without_git_shows_no_commit() -> None:
    assert "  commit   none\n" in to_plain_text(render_index_state(state(index_commit=None, head_commit=None), "/w"))

"""Which of several copies is a result (engine.federation.team_copies)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scry.core.types import Candidate, DocumentHeader
from scry.engine.federation.team_copies import BestScores, find_replacement, fold_copies


def candidates(scores: Sequence[float]) -> list[Candidate]:
    """Return candidates with these scores, whose keys are their places."""
    return [
        Candidate(DocumentHeader(key, f"./a.py::f{key}", "code", "a.py", f"f{key}", "function", ""), {}, 0, (), score)
        for key, score in enumerate(scores)
    ]


def keys_of(
    ranked: Sequence[Sequence[Candidate]], content_ids: Sequence[Mapping[int, str]], limit: int
) -> list[list[int]]:
    return [[each.document.doc_key for each in own.best] for own in fold_copies(ranked, content_ids, limit)]


def test_best_copy_stands_and_the_answer_is_full() -> None:
    ranked = [candidates([0.9, 0.5]), candidates([0.8, 0.7, 0.6])]
    assert keys_of(ranked, [{}, {}], 3) == [[0], [0, 1]]
    assert keys_of(ranked, [{0: "a"}, {0: "a"}], 3) == [[0], [1, 2]]
    assert keys_of(ranked, [{0: "a"}, {0: "a", 1: "a"}], 3) == [[0], [1, 2]]  # the second of its repository stands


def test_of_equal_copies_that_of_the_first_repository_stands() -> None:
    ranked = [candidates([0.9]), candidates([0.9]), candidates([0.9])]
    assert keys_of(ranked, [{0: "a"}] * 3, 10) == [[0], [], []]


def test_replaced_documents_are_told_with_what_stands() -> None:
    ranked, copies = [candidates([0.9, 0.5]), candidates([0.8, 0.7])], [{0: "a"}, {0: "a"}]
    [first, second] = fold_copies(ranked, copies, 10)
    assert not first.replaced
    assert [(key, place, each.fused_score) for key, (place, each) in second.replaced.items()] == [(0, 0, 0.9)]
    found = find_replacement(0, 1, ranked, copies, 10)
    assert found is not None
    assert found[0] == 0
    assert find_replacement(0, 0, ranked, copies, 10) is None
    assert find_replacement(1, 1, ranked, copies, 10) is None


def test_copies_count_once_among_the_best_scores() -> None:
    best = BestScores(2)
    best.add(0, candidates([0.9]), {0: "a"})
    best.add(1, candidates([0.8]), {0: "a"})
    assert best.least == 0.0
    best.add(2, candidates([0.7, 0.1]), {})
    assert best.least == 0.7
